package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/internal/realservers"
)

// batchBytes is how large batches are written, before compression: batch.size of
// Kafka's own producer by default.
const batchBytes = 16 << 10

// writeTopic creates a row's topic and writes it. It returns what a contender has
// to find there.
func writeTopic(ctx context.Context, k *realservers.Kafka, r row, batchBytes int32) (measure.Job, error) {
	job := measure.Job{Brokers: k.Brokers(), Topic: r.topic(), Ends: make([]int64, r.Partitions)}
	if err := k.CreateTopic(ctx, job.Topic, r.Partitions, 1, nil); err != nil {
		return job, err
	}
	client, err := newProducer(k,
		kgo.DefaultProduceTopic(job.Topic),
		kgo.ProducerBatchMaxBytes(batchBytes),
		kgo.ProducerBatchCompression(codec(r.Codec)),
		kgo.MaxBufferedRecords(100_000),
	)
	if err != nil {
		return job, err
	}
	defer client.Close()

	var once sync.Once
	var failed error
	rng := rand.New(rand.NewPCG(1, uint64(r.Size)))
	values := makeValues(rng, 1<<26/r.Size/8, r.Size)
	const run = 500 // records of a partition before the next one's
	for i := range r.Records {
		p := int32(i / run % int64(r.Partitions))
		value := values[rng.IntN(len(values))]
		job.Want.Add(value)
		job.Ends[p]++
		client.Produce(ctx, &kgo.Record{Partition: p, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		return job, err
	}
	if failed != nil {
		return job, fmt.Errorf("topic %s: %w", job.Topic, failed)
	}
	return job, nil
}

func newProducer(k *realservers.Kafka, opts ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(k.Brokers()...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	}, opts...)...)
}

func codec(name string) kgo.CompressionCodec {
	switch name {
	case "lz4":
		return kgo.Lz4Compression()
	case "zstd":
		return kgo.ZstdCompression()
	}
	return kgo.NoCompression()
}
