package integration

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spout"
)

// A consumer is a running Spout of the library, and what it told.
type consumer struct {
	t    *testing.T
	stop context.CancelFunc
	done chan struct{} // closed when Run has returned
	err  error         // of Run; to be read after done

	mu        sync.Mutex
	lost      map[spout.Cause]int64
	recreated map[int32]spout.Recreation
	opened    []spout.Opening
	stopped   []error
}

// consume runs a Spout until the end of the test. cfg needs Topics only.
func (s servers) consume(t *testing.T, cfg spout.Config, h spout.HandlerFunc) *consumer {
	t.Helper()
	c := &consumer{t: t, done: make(chan struct{}), lost: map[spout.Cause]int64{}, recreated: map[int32]spout.Recreation{}}
	cfg.Brokers, cfg.ZooKeeper, cfg.Root, cfg.ID = s.kafka.Brokers(), s.zk.Addrs(), root, id
	cfg.CommitInterval, cfg.MetadataMaxAge = 50*time.Millisecond, time.Second
	cfg.Events = c.events()
	sp, err := spout.New(cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	go func() {
		defer close(c.done)
		c.err = sp.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-c.done
	})
	return c
}

func (c *consumer) events() spout.Events {
	return spout.Events{
		Opened: func(o spout.Opening) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.opened = append(c.opened, o)
		},
		Lost: func(l spout.Loss) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.lost[l.Cause] += l.Records
		},
		Recreated: func(r spout.Recreation) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.recreated[r.Partition.Number] = r
		},
		Stopped: func(p offsets.Partition, err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.stopped = append(c.stopped, fmt.Errorf("%v stopped: %w", p, err))
		},
	}
}

// ends waits until Run has returned, which must be without an error.
func (c *consumer) ends() {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.t.Fatalf("Run doesn't return within %v", patience)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || len(c.stopped) > 0 {
		c.t.Fatalf("Run: %v; stopped: %v", c.err, c.stopped)
	}
}

// finish tells Run to stop and waits for it.
func (c *consumer) finish() {
	c.t.Helper()
	c.stop()
	c.ends()
}

// losses returns how many records were told lost, by cause.
func (c *consumer) losses() map[spout.Cause]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.lost)
}

func (c *consumer) recreations() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.recreated)
}
