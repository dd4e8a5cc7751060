// Command confluent is the process of one contender, confluent-kafka-go: a
// program of its own, because librdkafka needs cgo, and the others shall be
// measured without.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"github.com/kspout/kspout/bench/measure"
)

func main() {
	if err := measure.Process(map[string]measure.Contender{"confluent-kafka-go": poll}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// poll polls a kafka.Consumer, with its defaults but for what makes it do the
// same as the others: it checks checksums and commits nothing. Left alone it
// also stops fetching for a second whenever it has 100,000 records ahead.
func poll(ctx context.Context, job *measure.Run) (seen measure.Tally, _ []int64, err error) {
	cfg := kafka.ConfigMap{
		"bootstrap.servers":  strings.Join(job.Brokers, ","),
		"group.id":           "bench", // required, and not used
		"enable.auto.commit": false,
		"check.crcs":         true,

		"fetch.queue.backoff.ms": 10,
	}
	if job.FetchBytes > 0 {
		cfg["max.partition.fetch.bytes"] = int(job.FetchBytes)
	}
	consumer, err := kafka.NewConsumer(&cfg)
	if err != nil {
		return seen, nil, err
	}
	job.Cleanup(func() { consumer.Close() })
	var from []kafka.TopicPartition
	for i := range job.Ends {
		from = append(from, kafka.TopicPartition{Topic: &job.Topic, Partition: int32(i)})
	}
	if err := consumer.Assign(from); err != nil {
		return seen, nil, err
	}
	for seen.Records < job.Records() {
		switch e := consumer.Poll(100).(type) {
		case *kafka.Message:
			if e.TopicPartition.Error != nil {
				return seen, nil, e.TopicPartition.Error
			}
			seen.Add(e.Value)
		case kafka.Error:
			return seen, nil, e
		case nil:
			if ctx.Err() != nil {
				return seen, nil, ctx.Err()
			}
		}
	}
	return seen, nil, nil
}
