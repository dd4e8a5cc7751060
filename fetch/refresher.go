package fetch

import (
	"context"
	"slices"
	"time"
)

// A refresher keeps the leaders of all logs: it asks for metadata when they're
// old, and when somebody found them wrong.
type refresher struct {
	client *Client
	wanted chan struct{} // cap 1

	failures int // refreshes in a row that no broker answered; the loop's
}

func newRefresher(c *Client) *refresher {
	return &refresher{client: c, wanted: make(chan struct{}, 1)}
}

// ask makes the next refresh come soon.
func (r *refresher) ask() {
	select {
	case r.wanted <- struct{}{}:
	default:
	}
}

// loop runs until ctx ends. Refreshes that left something open are followed by
// others, ever later. Those that were asked for come at once, but no sooner than
// firstDelay after the one before.
func (r *refresher) loop(ctx context.Context) {
	timer := time.NewTimer(r.client.cfg.MetadataMaxAge)
	defer timer.Stop()
	unsettled := 0 // refreshes in a row that left something open
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-r.wanted:
		}
		next := r.client.cfg.MetadataMaxAge
		if r.refresh(ctx) {
			unsettled = 0
		} else {
			next = min(next, backoff(unsettled))
			unsettled++
		}
		timer.Reset(next)
		if pause(ctx, firstDelay) != nil {
			return
		}
	}
}

// refresh asks once, and reports whether every log has a leader.
func (r *refresher) refresh(ctx context.Context) bool {
	c := r.client
	logs := c.openLogs()
	if len(logs) == 0 {
		return true
	}
	names := make([]string, 0, len(logs))
	for _, l := range logs {
		names = append(names, l.partition.Topic)
	}
	slices.Sort(names)
	layout, err := c.metadata(ctx, slices.Compact(names))
	if err != nil {
		// The first one may be for connections that were idle, or that the broker
		// wants to be authenticated anew.
		if r.failures++; r.failures == 2 && ctx.Err() == nil {
			c.cfg.Logger.Warn().Err(err).Msg("no broker answers; asking again until one does")
		}
		return false
	}
	if r.failures > 1 {
		c.cfg.Logger.Info().Msg("a broker answers again")
	}
	r.failures = 0
	settled := true
	for _, l := range logs {
		settled = l.settle(layout, time.Now()) && settled
	}
	c.prune(layout)
	if !settled {
		c.distrust()
	}
	return settled
}
