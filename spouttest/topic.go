package spouttest

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CreateTopic makes a topic. settings are the topic's, such as "cleanup.policy";
// nil for none.
func (c *Cluster) CreateTopic(topic string, partitions int, settings map[string]string) error {
	all := map[string]string{"max.message.bytes": strconv.Itoa(c.cfg.MaxMessageBytes)} // which kfake describes wrongly otherwise
	maps.Copy(all, settings)
	err := c.admin(func(k *kfake.Cluster) error { return k.CreateTopic(topic, int32(partitions), all) })
	return wrap(err, "create topic %s", topic)
}

// DeleteTopic deletes a topic with its records.
func (c *Cluster) DeleteTopic(topic string) error {
	err := c.admin(func(k *kfake.Cluster) error { return k.DeleteTopic(topic) })
	return wrap(err, "delete topic %s", topic)
}

// RecreateTopic deletes a topic, and makes it again: empty, with an id of its
// own.
func (c *Cluster) RecreateTopic(topic string, partitions int) error {
	if err := c.DeleteTopic(topic); err != nil {
		return err
	}
	return c.CreateTopic(topic, partitions, nil)
}

// DeleteRecords deletes what lies below an offset of a partition, as retention
// does: the log starts there then.
func (c *Cluster) DeleteRecords(topic string, partition int32, before int64) error {
	err := c.admin(func(k *kfake.Cluster) error { return k.DeleteRecords(topic, partition, before) })
	return wrap(err, "delete records of %s/%d", topic, partition)
}

// Log returns where the log of a partition starts, and the offset that its next
// record will have.
func (c *Cluster) Log(topic string, partition int32) (start, end int64, err error) {
	err = c.admin(func(k *kfake.Cluster) error {
		p := k.PartitionInfo(topic, partition)
		if p == nil {
			return kerr.UnknownTopicOrPartition
		}
		start, end = p.LogStartOffset, p.HighWatermark
		return nil
	})
	return start, end, wrap(err, "log of %s/%d", topic, partition)
}

// AddPartitions gives a topic more partitions, to be total in all. The last
// broker has to be up, which is the controller.
func (c *Cluster) AddPartitions(ctx context.Context, topic string, total int) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = topic, int32(total)
	req.Topics, req.TimeoutMillis = append(req.Topics, rt), 5000
	resp, err := req.RequestWith(ctx, client)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	return wrap(err, "add partitions to %s", topic)
}

// topics returns the names of all topics.
func (c *Cluster) topics(ctx context.Context) ([]string, error) {
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client) // no topics: all
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range resp.Topics {
		names = append(names, *t.Topic)
	}
	return names, nil
}

// requestTimeout bounds what the Cluster asks of itself.
const requestTimeout = 15 * time.Second

// client returns a client of the Kafka, for the caller to close.
func (c *Cluster) client(opts ...kgo.Opt) (*kgo.Client, error) {
	if err := c.admin(func(*kfake.Cluster) error { return nil }); err != nil {
		return nil, err
	}
	return kgo.NewClient(append(opts, kgo.SeedBrokers(c.Brokers()...))...)
}

func wrap(err error, format string, args ...any) error {
	if err == nil || err == ErrClosed {
		return err
	}
	return fmt.Errorf("spouttest: "+format+": %w", append(args, err)...)
}
