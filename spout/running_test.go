package spout_test

import (
	"context"
	"testing"
	"time"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// TestStopBeforeTheStart: told to stop while ZooKeeper or Kafka can't be reached
// yet, Run returns nil: nothing was read, so nothing wasn't committed.
func TestStopBeforeTheStart(t *testing.T) {
	for name, down := range map[string]func(*spouttest.Cluster){
		"ZooKeeper": func(c *spouttest.Cluster) { c.StopZooKeeper() },
		"Kafka":     func(c *spouttest.Cluster) { _ = c.StopBroker(t.Context(), 0) },
		"neither":   func(*spouttest.Cluster) {},
	} {
		t.Run(name, func(t *testing.T) {
			c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
			down(c)
			s, err := spout.New(config(t, c, "a"), ackAll)
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer stop()
			if err := s.Run(ctx); err != nil {
				t.Errorf("Run: %v, want nil", err)
			}
			ctx, stop = context.WithCancel(t.Context())
			stop()
			if s, err = spout.New(config(t, c, "a"), ackAll); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(ctx); err != nil {
				t.Errorf("Run with a context that has ended: %v, want nil", err)
			}
		})
	}
}

// ackAll acks what it is handed.
var ackAll = spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) { u.Ack() })
