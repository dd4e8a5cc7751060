package spout_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// TestDeletedTopic: a partition of a topic that stays deleted ends; what is
// pending counts as lost. When there is a topic of that name again, it is read.
func TestDeletedTopic(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1, "b": 1}})
	produce(t, c, "a", 0, 100)
	cfg := config(t, c, "a", "b")
	cfg.DrainTimeout = 100 * time.Millisecond
	var lost, delivered, renewed atomic.Int64
	closed := make(chan offsets.Partition, 4)
	cfg.Events.Lost = func(l spout.Loss) {
		if l.Cause != spout.LostDeleted {
			t.Errorf("lost for %s, want %s", l.Cause, spout.LostDeleted)
		}
		lost.Add(l.Records)
	}
	cfg.Events.Closed = func(p offsets.Partition) { closed <- p }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		if string(u.Value()) == "new" {
			renewed.Add(1)
			u.Ack()
			return
		}
		if delivered.Add(1)%2 == 0 {
			u.Ack()
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	eventually(t, "all is delivered", func() bool { return delivered.Load() == 100 })
	if err := c.DeleteTopic("a"); err != nil {
		t.Fatal(err)
	}
	if p := <-closed; p.Topic != "a" || lost.Load() != 50 {
		t.Errorf("closed %v with %d lost, want a/0 with 50", p, lost.Load())
	}
	if err := s.Healthy(); err != nil {
		t.Errorf("not healthy: %v", err)
	}
	if err := c.CreateTopic("a", 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Produce(t.Context(), "a", 0, spouttest.Values("new", "new")...); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new topic is read", func() bool { return renewed.Load() == 2 })
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if cp := stored(t, c, "a", 0); cp.Offset != 2 {
		t.Errorf("stored %d, want 2", cp.Offset)
	}
}
