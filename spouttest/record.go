package spouttest

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A Record is one to be produced.
type Record struct {
	Key     []byte // nil: null
	Value   []byte // nil: null
	Headers []Header

	// Timestamp is the producer's, to the millisecond. Zero: the time of
	// producing.
	Timestamp time.Time
}

// A Header is one header of a [Record].
type Header struct {
	Key   string
	Value []byte // nil: null
}

// Values returns a record for each of values, with a null key.
func Values(values ...string) []Record {
	rs := make([]Record, len(values))
	for i, v := range values {
		rs[i].Value = []byte(v)
	}
	return rs
}

// Produce appends records to a partition, in their order, and returns their
// offsets when all are stored. The topic and the partition have to exist.
func (c *Cluster) Produce(ctx context.Context, topic string, partition int32, records ...Record) ([]int64, error) {
	if _, _, err := c.Log(topic, partition); err != nil {
		return nil, err
	}
	client, err := c.client(
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(int32(min(c.cfg.MaxMessageBytes, 64<<20))),
		kgo.ProducerLinger(0),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout) // kgo's own counts from the record's timestamp
	defer cancel()
	rs := make([]*kgo.Record, len(records))
	for i, r := range records {
		rs[i] = &kgo.Record{Topic: topic, Partition: partition, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp}
		for _, h := range r.Headers {
			rs[i].Headers = append(rs[i].Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
	}
	offsets := make([]int64, len(records))
	for i, res := range client.ProduceSync(ctx, rs...) {
		if res.Err != nil {
			return nil, wrap(res.Err, "produce record %d of %d to %s/%d", i, len(records), topic, partition)
		}
		offsets[i] = rs[i].Offset
	}
	return offsets, nil
}

// Kafka returns the Kafka itself, for what a Cluster has no method for. It is
// closed with the Cluster.
func (c *Cluster) Kafka() *kfake.Cluster {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kafka
}
