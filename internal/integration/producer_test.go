package integration

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// client returns a Kafka client that is closed at the end of the test.
func (s servers) client(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(s.kafka.Brokers()...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordDeliveryTimeout(patience),
		kgo.MaxBufferedRecords(200_000),
		kgo.MetadataMinAge(100 * time.Millisecond), // a leader of a new topic may not know yet that it is
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// fill appends n records to each of a topic's partitions, whose logs end at ends,
// with the values that a life expects. It returns where they end then.
func (s servers) fill(t *testing.T, topic string, ends []int64, n int, opts ...kgo.Opt) []int64 {
	t.Helper()
	return s.fillWith(t, topic, ends, n, valueAt, opts...)
}

// fillNew appends n records to each of the partitions from first up to behind the
// last, which are empty, and returns where these end then.
func (s servers) fillNew(t *testing.T, topic string, first, behind, n int) []int64 {
	t.Helper()
	ends := make([]int64, behind)
	for p := range first {
		ends[p] = -1 // left alone
	}
	return s.fillWith(t, topic, ends, n, valueAt)[first:]
}

// fillWith is fill with other values. A partition with a negative end is left
// alone.
func (s servers) fillWith(t *testing.T, topic string, ends []int64, n int, value func(partition int32, offset int64) string, opts ...kgo.Opt) []int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := s.client(t, opts...)
	defer c.Close()
	var mu sync.Mutex
	var first error
	for i := range int64(n) {
		for p, end := range ends {
			if end < 0 {
				continue
			}
			c.Produce(ctx, &kgo.Record{Topic: topic, Partition: int32(p), Value: []byte(value(int32(p), end+i))}, func(r *kgo.Record, err error) {
				mu.Lock()
				defer mu.Unlock()
				if err != nil && first == nil {
					first = err
				}
				if err == nil && string(r.Value) != value(r.Partition, r.Offset) {
					t.Errorf("%s/%d: %s is at %d", topic, r.Partition, r.Value, r.Offset)
				}
			})
		}
	}
	if err := c.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if first != nil {
		t.Fatal(first)
	}
	ends = slices.Clone(ends)
	for p := range ends {
		ends[p] += int64(n)
	}
	return ends
}
