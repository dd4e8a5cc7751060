package zkstate

import (
	"context"
	"math/rand/v2"
	"time"
)

// A backoff is a pause that doubles from base up to limit, each with half of it
// left to chance.
type backoff struct{ base, limit time.Duration }

// pause returns the n-th pause, from 0; r is in [0, 1).
func (b backoff) pause(n int, r float64) time.Duration {
	d := b.limit
	if n < 30 {
		d = min(b.limit, b.base<<n)
	}
	return d/2 + time.Duration(r*float64(d)/2)
}

// wait sleeps for the n-th pause, or until ctx ends, and then returns its error.
func (b backoff) wait(ctx context.Context, n int) error {
	t := time.NewTimer(b.pause(n, rand.Float64()))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
