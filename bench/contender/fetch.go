package contender

import (
	"cmp"
	"context"
	"sync"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// fetchAlone is package fetch without the spout: a goroutine a partition walks
// the records, and nobody acks anything.
func fetchAlone(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	ctx, stop := context.WithCancel(ctx)
	client := fetch.New(fetch.Config{
		Brokers:           job.Brokers,
		MaxPartitionBytes: cmp.Or(int64(job.FetchBytes), 8<<20), // the spout's default
	})
	var running sync.WaitGroup
	running.Go(func() { client.Run(ctx) })
	job.Cleanup(func() {
		stop()
		running.Wait()
	})

	return eachPartition(job, func(number int32, end int64, seen *measure.Tally) error {
		wake := make(chan struct{}, 1)
		log := client.Open(offsets.Partition{Topic: job.Topic, Number: number}, offsets.TopicID{}, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
		job.Cleanup(log.Close)
		for from := int64(0); from < end; {
			answer, ready := log.Take(from)
			switch {
			case !ready:
				select {
				case <-wake:
				case <-ctx.Done():
					return ctx.Err()
				}
			case answer.Err != nil:
				return answer.Err
			case answer.Records != nil:
				c := answer.Records
				for b := c.Batch(); ; {
					_, pos, ok := c.Next()
					if !ok {
						break
					}
					seen.Add(b.Value(pos))
				}
				if err := c.Err(); err != nil {
					return err
				}
				from = c.End()
			}
		}
		return nil
	})
}
