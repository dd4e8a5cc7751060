package contender

import (
	"context"

	client "github.com/IBM/sarama"

	"github.com/kspout/kspout/bench/measure"
)

// sarama is sarama's partition consumer, with its defaults.
func sarama(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	cfg := client.NewConfig()
	if job.FetchBytes > 0 {
		cfg.Consumer.Fetch.Default = job.FetchBytes
	}
	consumer, err := client.NewConsumer(job.Brokers, cfg)
	if err != nil {
		return measure.Tally{}, nil, err
	}
	job.Cleanup(func() { consumer.Close() })
	return eachPartition(job, func(number int32, end int64, seen *measure.Tally) error {
		part, err := consumer.ConsumePartition(job.Topic, number, 0)
		if err != nil {
			return err
		}
		job.Cleanup(part.AsyncClose)
		for {
			select {
			case m := <-part.Messages():
				seen.Add(m.Value)
				if m.Offset == end-1 {
					return nil
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}
