package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/segmentio/kafka-go"
)

// Delays between attempts: doubled from the first to the last, with jitter.
const (
	firstDelay = 50 * time.Millisecond
	lastDelay  = 2 * time.Second
)

// backoff returns the delay after the attempt with this index, from 0: between
// half and all of 50 ms, 100 ms … 2 s, at random, so that partitions and clients
// that failed together don't come back together.
func backoff(attempt int) time.Duration {
	d := lastDelay
	if attempt < 6 {
		d = min(d, firstDelay<<max(attempt, 0))
	}
	return d/2 + rand.N(d/2)
}

// pause waits for d, and returns an error if ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fatal says whether a broker's code for a partition stays until somebody
// changes something: retrying doesn't help.
func fatal(code kafka.Error) bool {
	switch code {
	case kafka.InvalidMessage, kafka.MessageSizeTooLarge, kafka.InvalidTopic, kafka.RecordListTooLarge,
		kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed, kafka.UnsupportedForMessageFormat, kafka.UnsupportedCompressionType:
		return true
	}
	return false
}

// isFatal is fatal for the errors of this package.
func isFatal(err error) bool {
	code, ok := errors.AsType[kafka.Error](err)
	return ok && fatal(code) || errors.Is(err, ErrClosed)
}
