package spout_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
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

// TestPartitionThatOpensLate: a partition that was there at the start and couldn't
// be opened at once starts where Start says, not as one that appeared; and
// StopAtEnd waits for it.
func TestPartitionThatOpensLate(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 2}})
	produce(t, c, "a", 0, 10)
	produce(t, c, "a", 1, 10)
	cfg := config(t, c, "a")
	cfg.StopAtEnd, cfg.Start = true, spout.Last(3)
	store := &refusingStore{refuse: offsets.Partition{Topic: "a", Number: 1}, times: 1}
	cfg.ZooKeeper, cfg.Store = nil, store
	got := newSeen()
	if err := run(t, cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		got.add(u)
		u.Ack()
	})); err != nil {
		t.Fatal(err)
	}
	if n := got.len(); n != 6 || got.attempts["a/1@7"] != 1 {
		t.Errorf("%d records were delivered, want the last three of two partitions: %v", n, got.attempts)
	}
}

// A refusingStore keeps checkpoints in memory, and refuses the first writes of one
// partition.
type refusingStore struct {
	refuse offsets.Partition
	err    error // of refused writes; default: errRefused

	mu     sync.Mutex
	times  int // writes to refuse
	stored map[offsets.Partition]offsets.Stored
}

var errRefused = errors.New("refused")

func (s *refusingStore) MaxBytes() int { return 64 << 10 }

func (s *refusingStore) Load(_ context.Context, ps []offsets.Partition) ([]offsets.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]offsets.Stored, len(ps))
	for i, p := range ps {
		out[i] = offsets.Stored{Partition: p, Version: offsets.NoVersion}
		if st, ok := s.stored[p]; ok {
			out[i] = st
		}
	}
	return out, nil
}

func (s *refusingStore) Save(_ context.Context, ws []offsets.Write) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored == nil {
		s.stored = map[offsets.Partition]offsets.Stored{}
	}
	errs := make([]error, len(ws))
	for i, w := range ws {
		p := w.Checkpoint.Partition
		if p == s.refuse && s.times > 0 {
			s.times--
			errs[i] = cmp.Or(s.err, errRefused)
			continue
		}
		s.stored[p] = offsets.Stored{Partition: p, Checkpoint: w.Checkpoint, Version: w.Version + 1}
	}
	return errs
}

// refuseAll makes all further writes of the partition fail with err.
func (s *refusingStore) refuseAll(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times, s.err = math.MaxInt, err
}

func (s *refusingStore) offset(p offsets.Partition) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored[p].Checkpoint.Offset
}

// TestStoppedPartitionIsTold: a partition that stops by an error is told as
// stopped although the user never acks what is out.
func TestStoppedPartitionIsTold(t *testing.T) {
	for name, refusal := range map[string]error{"fenced": spout.ErrFenced} {
		t.Run(name, func(t *testing.T) {
			c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 2}})
			p0 := offsets.Partition{Topic: "a", Number: 0}
			cfg := config(t, c, "a")
			store := &refusingStore{refuse: p0}
			cfg.ZooKeeper, cfg.Store = nil, store
			got := newSeen()
			s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
				got.add(u)
				if u.Partition() == 1 || u.Offset() == 0 {
					u.Ack()
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- s.Run(ctx) }()
			eventually(t, "both partitions are open", func() bool { return len(s.Partitions()) == 2 })
			store.refuseAll(refusal)
			produce(t, c, "a", 0, 3)
			eventually(t, "the stopped partition is told", func() bool { return errors.Is(s.Healthy(), refusal) })
			produce(t, c, "a", 1, 3)
			eventually(t, "the other one goes on", func() bool { return store.offset(offsets.Partition{Topic: "a", Number: 1}) == 3 })
			stop()
			if err := <-ended; !errors.Is(err, refusal) {
				t.Errorf("Run: %v, want %v", err, refusal)
			}
		})
	}
}

// TestHooksThatPanic: hooks that panic take nothing down.
func TestHooksThatPanic(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 5)
	cfg := config(t, c, "a")
	cfg.Logger = nil
	cfg.StopAtEnd, cfg.MaxAttempts = true, 2
	cfg.Events = spout.Events{
		Opened:    func(spout.Opening) { panic("opened") },
		Closed:    func(offsets.Partition) { panic("closed") },
		Failed:    func(spout.Failure) { panic("failed") },
		Dropped:   func(spout.Loss) { panic("dropped") },
		Committed: func(spout.Committing) { panic("committed") },
	}
	if err := run(t, cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) { u.Fail(nil) })); err != nil {
		t.Fatal(err)
	}
	if cp := stored(t, c, "a", 0); cp.Offset != 5 {
		t.Errorf("stored %d, want 5", cp.Offset)
	}
}

// TestLateAckIsStored: an ack of a handler that returns after its time, while Run
// still waits for it, is stored or told (kafka-pixy#62).
func TestLateAckIsStored(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 1)
	cfg := config(t, c, "a")
	cfg.DrainTimeout, cfg.CommitInterval = 50*time.Millisecond, time.Hour
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, err := spout.New(cfg, spout.HandlerFunc(func(ctx context.Context, u *spout.Tuple) {
		stop()
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // work that doesn't look at ctx
		u.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(ctx); err == nil {
		if cp := stored(t, c, "a", 0); cp.Offset != 1 {
			t.Errorf("Run returned nil, and stored %d, want 1", cp.Offset)
		}
	} else if _, ok := errors.AsType[*spout.CommitError](err); !ok {
		t.Errorf("Run: %v, want nil or a CommitError", err)
	}
}
