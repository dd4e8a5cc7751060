package contender

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/bench/measure"
)

// franzGo polls a kgo.Client that consumes partitions directly, with its
// defaults.
func franzGo(ctx context.Context, job *measure.Run) (seen measure.Tally, _ []int64, err error) {
	err = pollFranz(ctx, job, func(r *kgo.Record) { seen.Add(r.Value) })
	return seen, nil, err
}

// franzGoPools is franzGo with pools for records and inflated batches: a record,
// and its value, may be used until it's recycled, and no longer.
func franzGoPools(ctx context.Context, job *measure.Run) (seen measure.Tally, _ []int64, err error) {
	err = pollFranz(ctx, job, func(r *kgo.Record) {
		seen.Add(r.Value)
		r.Recycle()
	}, kgo.WithPools(new(franzPools)))
	return seen, nil, err
}

func pollFranz(ctx context.Context, job *measure.Run, each func(*kgo.Record), opts ...kgo.Opt) error {
	from := make(map[int32]kgo.Offset)
	left := int64(0)
	for i, end := range job.Ends {
		from[int32(i)] = kgo.NewOffset().At(0)
		left += end
	}
	opts = append(opts, kgo.SeedBrokers(job.Brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{job.Topic: from}))
	if job.FetchBytes > 0 {
		opts = append(opts, kgo.FetchMaxPartitionBytes(job.FetchBytes))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	job.Cleanup(client.Close)
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			each(r)
			left--
		})
	}
	return nil
}

// franzPools pools what kgo lets one pool for a consumer.
type franzPools struct{ records, inflated sync.Pool }

func (p *franzPools) GetRecords(n int) []kgo.Record {
	if s, ok := p.records.Get().(*[]kgo.Record); ok && cap(*s) >= n {
		return (*s)[:0]
	}
	return make([]kgo.Record, 0, n)
}

func (p *franzPools) PutRecords(s []kgo.Record) { p.records.Put(&s) }

func (p *franzPools) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	if s, ok := p.inflated.Get().(*[]byte); ok {
		return *s
	}
	return make([]byte, 0, 4*len(compressed)) // it grows where that is too little
}

func (p *franzPools) PutDecompressBytes(s []byte) { p.inflated.Put(&s) }
