package realservers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/createpartitions"
	"github.com/segmentio/kafka-go/protocol/createtopics"
	"github.com/segmentio/kafka-go/protocol/deletetopics"
)

// adminTimeout bounds a change to a topic, until all brokers know of it.
const adminTimeout = 30 * time.Second

// brokerTimeout is how long a broker may work on a change to a topic, in ms.
const brokerTimeout = 15_000

// CreateTopic creates a topic and returns when every running broker knows the
// leader of each of its partitions. configs may be nil. The error for a topic
// that exists is [kafka.TopicAlreadyExists].
func (k *Kafka) CreateTopic(ctx context.Context, topic string, partitions, replication int, configs map[string]string) error {
	rt := createtopics.RequestTopic{Name: topic, NumPartitions: int32(partitions), ReplicationFactor: int16(replication)}
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		rt.Configs = append(rt.Configs, createtopics.RequestConfig{Name: name, Value: configs[name]})
	}
	req := &createtopics.Request{Topics: []createtopics.RequestTopic{rt}, TimeoutMs: brokerTimeout}
	return k.changeTopic(ctx, "create", topic, kafka.TopicAlreadyExists, func(ctx context.Context, addr string) error {
		res, err := ask[*createtopics.Response](ctx, addr, createTopicsVersion, req)
		if err != nil {
			return err
		}
		for _, t := range res.Topics {
			if t.ErrorCode != 0 {
				return brokerError(t.ErrorCode, t.ErrorMessage)
			}
		}
		return nil
	}, hasLeaders(partitions))
}

// CreatePartitions raises the number of a topic's partitions to total and
// returns when every running broker knows the leader of each.
func (k *Kafka) CreatePartitions(ctx context.Context, topic string, total int) error {
	req := &createpartitions.Request{
		Topics:    []createpartitions.RequestTopic{{Name: topic, Count: int32(total)}},
		TimeoutMs: brokerTimeout,
	}
	return k.changeTopic(ctx, "create partitions", topic, kafka.InvalidPartitionNumber, func(ctx context.Context, addr string) error {
		res, err := ask[*createpartitions.Response](ctx, addr, createPartitionsVersion, req)
		if err != nil {
			return err
		}
		for _, t := range res.Results {
			if t.ErrorCode != 0 {
				return brokerError(t.ErrorCode, t.ErrorMessage)
			}
		}
		return nil
	}, hasLeaders(total))
}

// DeleteTopic deletes a topic and returns when no running broker knows it any
// more.
func (k *Kafka) DeleteTopic(ctx context.Context, topic string) error {
	req := &deletetopics.Request{TopicNames: []string{topic}, TimeoutMs: brokerTimeout}
	return k.changeTopic(ctx, "delete", topic, kafka.UnknownTopicOrPartition, func(ctx context.Context, addr string) error {
		res, err := ask[*deletetopics.Response](ctx, addr, deleteTopicsVersion, req)
		if err != nil {
			return err
		}
		for _, t := range res.Responses {
			if t.ErrorCode != 0 {
				return kafka.Error(t.ErrorCode)
			}
		}
		return nil
	}, func(parts []Partition) bool { return len(parts) == 0 })
}

// DeleteRecords deletes the records of a partition below offset, which is the
// partition's log start then; -1 stands for its end. Kafka writes the log start
// to disk once a minute and at a clean stop: after a Kill the records may be
// back, unless log.flush.start.offset.checkpoint.interval.ms is set lower.
func (k *Kafka) DeleteRecords(ctx context.Context, topic string, partition int, offset int64) error {
	req := &deleteRecordsRequest{
		Topics: []deleteRecordsTopic{{
			Name:       topic,
			Partitions: []deleteRecordsPartition{{Index: int32(partition), Offset: offset}},
		}},
		TimeoutMs: brokerTimeout,
	}
	wrap := func(err error) error {
		return fmt.Errorf("realservers: topic %s: partition %d: delete records: %w", topic, partition, err)
	}
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	parts, err := k.Partitions(ctx, topic)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(parts, func(p Partition) bool { return p.ID == partition })
	if i < 0 {
		return wrap(kafka.UnknownTopicOrPartition)
	}
	if parts[i].Leader < 0 {
		return wrap(kafka.LeaderNotAvailable)
	}
	res, err := ask[*deleteRecordsResponse](ctx, k.nodes[parts[i].Leader].addr, deleteRecordsVersion, req)
	if err != nil {
		return wrap(err)
	}
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return wrap(kafka.Error(p.ErrorCode))
			}
		}
	}
	return nil
}

// changeTopic makes a change to a topic by any broker and waits until all know
// of it. It tries again, at the next broker, as long as the cluster can't make
// changes, say for an election. already is the answer to a change that was made
// before: after an attempt of unknown outcome that is success.
func (k *Kafka) changeTopic(ctx context.Context, what, topic string, already kafka.Error, change func(ctx context.Context, addr string) error, done func([]Partition) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, adminTimeout, fmt.Errorf("not done after %s", adminTimeout))
	defer cancel()
	unsure := false
	for try := 0; ; try++ {
		err := errNoBroker
		if n := k.nodes[try%len(k.nodes)]; n.answers() {
			err = change(ctx, n.addr)
			if err == nil || unsure && errors.Is(err, already) {
				return k.AwaitPartitions(ctx, topic, done)
			}
			answer, answered := errors.AsType[kafka.Error](err)
			switch {
			case !answered || answer == kafka.RequestTimedOut:
				unsure = true
			case answer != kafka.NotController && answer != kafka.NetworkException:
				return fmt.Errorf("realservers: topic %s: %s: %w", topic, what, err)
			}
		}
		if cause := sleep(ctx, askInterval); cause != nil {
			return fmt.Errorf("realservers: topic %s: %s: %w (%w)", topic, what, cause, err)
		}
	}
}

func brokerError(code int16, message string) error {
	if message == "" {
		return kafka.Error(code)
	}
	return fmt.Errorf("%w: %s", kafka.Error(code), message)
}

// hasLeaders accepts a topic of n partitions with a leader each.
func hasLeaders(n int) func([]Partition) bool {
	return func(parts []Partition) bool {
		return len(parts) == n && !slices.ContainsFunc(parts, func(p Partition) bool { return p.Leader < 0 })
	}
}
