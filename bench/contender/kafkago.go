package contender

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/bench/measure"
)

// kafkaGoReader is a kafka.Reader for each partition, with its defaults but for
// MaxWait, of 10 s, which is what closing it waits. It checks no checksums.
func kafkaGoReader(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	return eachPartition(job, func(number int32, end int64, seen *measure.Tally) error {
		r := kafka.NewReader(kafka.ReaderConfig{
			Brokers:   job.Brokers,
			Topic:     job.Topic,
			Partition: int(number),
			MaxBytes:  int(job.FetchBytes), // default: 1 MB
			MaxWait:   500 * time.Millisecond,
		})
		job.Cleanup(func() { r.Close() })
		if err := r.SetOffset(0); err != nil {
			return err
		}
		for {
			m, err := r.ReadMessage(ctx)
			if err != nil {
				return err
			}
			seen.Add(m.Value)
			if m.Offset == end-1 {
				return nil
			}
		}
	})
}

// kafkaGoFetch is a loop over kafka.Client.Fetch for each partition.
func kafkaGoFetch(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(job.Brokers...), Transport: transport}
	return eachPartition(job, func(number int32, end int64, seen *measure.Tally) error {
		for next := int64(0); next < end; {
			resp, err := client.Fetch(ctx, &kafka.FetchRequest{
				Topic: job.Topic, Partition: int(number), Offset: next,
				MinBytes: 1, MaxBytes: cmp.Or(int64(job.FetchBytes), 1<<20), MaxWait: 500 * time.Millisecond,
			})
			if err == nil {
				err = resp.Error
			}
			if err != nil {
				return err
			}
			for resp.Records != nil {
				r, err := resp.Records.ReadRecord()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return err
				}
				value, err := kafka.ReadAll(r.Value)
				if err != nil {
					return err
				}
				seen.Add(value)
				next = r.Offset + 1
			}
		}
		return nil
	})
}
