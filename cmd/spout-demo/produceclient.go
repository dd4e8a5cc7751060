package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// connectTimeout is how long produce waits for the first answer.
	connectTimeout = 10 * time.Second

	// deliveryTimeout is how long it waits for a record to be taken.
	deliveryTimeout = 30 * time.Second

	// ordinaryBatch is the size up to which lines share batches: large ones are
	// a burden to who reads them.
	ordinaryBatch = 1_000_000

	// kafkaBatch is what a broker takes unless it is told otherwise.
	kafkaBatch = 1_048_588
)

// connect looks up the topic, and prepares to produce to it.
func (p *production) connect(ctx context.Context) error {
	look, err := kgo.NewClient(append(p.secure.opts(), kgo.SeedBrokers(p.brokers...), kgo.RetryTimeout(connectTimeout), kgo.RequestRetries(3))...)
	if err != nil {
		return &usageError{err}
	}
	defer look.Close()
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := look.Ping(ctx); errors.Is(err, kerr.SaslAuthenticationFailed) || errors.Is(err, kerr.UnsupportedSaslMechanism) {
		return fmt.Errorf("broker %s: authentication by %s: %w", strings.Join(p.brokers, ","), p.secure.mechanism, err)
	} else if err != nil {
		return fmt.Errorf("no broker of %s can be reached: %w", strings.Join(p.brokers, ","), err)
	}
	n, err := countPartitions(ctx, look, p.topic)
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return fmt.Errorf("topic %s doesn't exist", p.topic)
	case err != nil:
		return fmt.Errorf("topic %s: %w", p.topic, err)
	case int(p.partition) >= n:
		return fmt.Errorf("topic %s has %d partitions, and none with the number %d", p.topic, n, p.partition)
	}
	p.limit = batchLimit(ctx, look, p.topic)
	p.client, err = p.newClient(min(p.limit, ordinaryBatch))
	return err
}

func (p *production) newClient(batch int) (*kgo.Client, error) {
	return kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(p.brokers...),
		kgo.ProducerBatchMaxBytes(int32(batch)),
		kgo.RecordDeliveryTimeout(deliveryTimeout),
		kgo.MaxBufferedBytes(256 << 20),
	}, append(p.secure.opts(), p.opts...)...)...)
}

// clientFor returns the client that a record is to be sent by. Going from one to
// the other waits for what is under way, so that the order of the lines is kept.
func (p *production) clientFor(r *kgo.Record) (*kgo.Client, error) {
	if size(r) < min(p.limit, ordinaryBatch)-1024 {
		if p.large != nil {
			p.large.Flush(context.Background())
		}
		return p.client, nil
	}
	p.client.Flush(context.Background())
	if p.large == nil {
		large, err := p.newClient(p.limit)
		if err != nil {
			return nil, err
		}
		p.large = large
	}
	return p.large, nil
}

// countPartitions returns how many partitions a topic has.
func countPartitions(ctx context.Context, client *kgo.Client, topic string) (int, error) {
	req := kmsg.NewPtrMetadataRequest()
	rt := kmsg.NewMetadataRequestTopic()
	rt.Topic = &topic
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return 0, err
	}
	t := resp.Topics[0]
	return len(t.Partitions), kerr.ErrorForCode(t.ErrorCode)
}

// batchLimit returns the topic's max.message.bytes, or Kafka's default where it
// can't be learned. It is at most what a client can send.
func batchLimit(ctx context.Context, client *kgo.Client, topic string) int {
	req := kmsg.NewPtrDescribeConfigsRequest()
	rr := kmsg.NewDescribeConfigsRequestResource()
	rr.ResourceType, rr.ResourceName, rr.ConfigNames = kmsg.ConfigResourceTypeTopic, topic, []string{"max.message.bytes"}
	req.Resources = append(req.Resources, rr)
	resp, err := req.RequestWith(ctx, client)
	if err != nil || len(resp.Resources) == 0 {
		return kafkaBatch
	}
	for _, c := range resp.Resources[0].Configs {
		if c.Name != "max.message.bytes" || c.Value == nil {
			continue
		}
		if n, err := strconv.Atoi(*c.Value); err == nil && n > 0 {
			return min(n, maxLine)
		}
	}
	return kafkaBatch
}

func isTooLarge(err error) bool { return errors.Is(err, kerr.MessageTooLarge) }
