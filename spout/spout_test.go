package spout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// config returns a Config for c that commits often and logs into the test.
func config(t *testing.T, c *spouttest.Cluster, topics ...string) spout.Config {
	log := zerolog.New(t.Output()).Level(zerolog.WarnLevel)
	return spout.Config{
		Brokers: c.Brokers(), ZooKeeper: c.ZooKeeper(), ID: "test", Topics: topics,
		CommitInterval: 50 * time.Millisecond, MaxWait: 100 * time.Millisecond, MetadataMaxAge: 200 * time.Millisecond,
		Retry:  spout.Backoff{Initial: 5 * time.Millisecond},
		Logger: &log,
	}
}

// run runs a spout until it ends, or for a minute.
func run(t *testing.T, cfg spout.Config, h spout.Handler) error {
	t.Helper()
	s, err := spout.New(cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the test's time is over"))
	defer cancel()
	err = s.Run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		t.Error(cause)
	}
	return err
}

// A seen is what a handler was handed, by record.
type seen struct {
	mu       sync.Mutex
	attempts map[string]int
	values   map[string]string
}

func newSeen() *seen { return &seen{attempts: map[string]int{}, values: map[string]string{}} }

func (s *seen) add(t *spout.Tuple) (times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s/%d@%d", t.Topic(), t.Partition(), t.Offset())
	s.attempts[key]++
	s.values[key] = string(t.Value())
	return s.attempts[key]
}

func (s *seen) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.attempts)
}

func produce(t *testing.T, c *spouttest.Cluster, topic string, partition int32, n int) {
	t.Helper()
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("%d-%d", partition, i)
	}
	if _, err := c.Produce(t.Context(), topic, partition, spouttest.Values(values...)...); err != nil {
		t.Fatal(err)
	}
}

func stored(t *testing.T, c *spouttest.Cluster, topic string, partition int32) offsets.Checkpoint {
	t.Helper()
	cp, ok, err := c.Stored(t.Context(), "test", topic, partition)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Fatalf("nothing is stored for %s/%d", topic, partition)
	}
	return cp
}

func TestRunToTheEnd(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 3, "b": 1}})
	for p := range int32(3) {
		produce(t, c, "a", p, 100)
	}
	produce(t, c, "b", 0, 50)
	got := newSeen()
	cfg := config(t, c, "a", "b")
	cfg.StopAtEnd = true
	err := run(t, cfg, spout.Workers(4, spout.Unordered, func(_ context.Context, u *spout.Tuple) error {
		if got.add(u) == 1 && u.Offset()%10 == 3 {
			return errors.New("the first delivery fails")
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if n := got.len(); n != 350 {
		t.Errorf("%d records were delivered, want 350", n)
	}
	for p := range int32(3) {
		if cp := stored(t, c, "a", p); cp.Offset != 100 || len(cp.Acked) != 0 {
			t.Errorf("a/%d: stored %d, acked %v, want 100", p, cp.Offset, cp.Acked)
		}
	}
	if cp := stored(t, c, "b", 0); cp.Offset != 50 || cp.TopicID.IsZero() || cp.Broker.Port == 0 {
		t.Errorf("b/0: stored %+v, want 50 with a topic id and a broker", cp)
	}

	// A second run has nothing to do.
	err = run(t, cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		t.Errorf("delivered again: %s/%d@%d", u.Topic(), u.Partition(), u.Offset())
		u.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// TestStopDrainsAndCommits: told to stop, Run waits for what is out, and commits
// it (kafka-pixy#62).
func TestStopDrainsAndCommits(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 10)
	cfg := config(t, c, "a")
	cfg.CommitInterval = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := make(chan *spout.Tuple, 10)
	s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) { out <- u }))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	var tuples []*spout.Tuple
	for range 10 {
		tuples = append(tuples, <-out)
	}
	stop()
	select {
	case err := <-ended:
		t.Fatalf("Run returned %v with ten tuples out", err)
	case <-time.After(50 * time.Millisecond):
	}
	for _, u := range tuples {
		u.Ack()
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if cp := stored(t, c, "a", 0); cp.Offset != 10 {
		t.Errorf("stored %d, want 10", cp.Offset)
	}
	if err := s.Run(t.Context()); !errors.Is(err, spout.ErrRunTwice) {
		t.Errorf("a second Run: %v, want ErrRunTwice", err)
	}
	tuples[0].Ack() // connect#4477: ignored
}

// TestStopDoesNotWaitForever: what isn't acked within DrainTimeout comes again.
func TestStopDoesNotWaitForever(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 3)
	cfg := config(t, c, "a")
	cfg.DrainTimeout = 200 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	s, err := spout.New(cfg, spout.HandlerFunc(func(ctx context.Context, u *spout.Tuple) {
		if n++; n < 3 {
			u.Ack()
			return
		}
		stop()
		<-ctx.Done() // ends with the user's time
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if cp := stored(t, c, "a", 0); cp.Offset != 2 {
		t.Errorf("stored %d, want 2", cp.Offset)
	}
}

// TestPanicsAreContained: the record that user code panics on fails; the others
// go on.
func TestPanicsAreContained(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 20)
	cfg := config(t, c, "a")
	cfg.StopAtEnd, cfg.MaxAttempts = true, 3
	var log strings.Builder
	var mu sync.Mutex
	logger := zerolog.New(zerolog.SyncWriter(&log))
	cfg.Logger = &logger
	causes := map[spout.Cause]int64{}
	cfg.Events.Dropped = func(l spout.Loss) {
		mu.Lock()
		defer mu.Unlock()
		causes[l.Cause] += l.Records
	}
	cfg.Scheme = spout.SchemeFunc(func(r *spout.Record, emit func(any)) error {
		if r.Offset == 7 {
			panic("scheme")
		}
		emit(string(r.Value))
		return nil
	})
	got := newSeen()
	err := run(t, cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		got.add(u)
		if u.Offset() == 5 {
			panic(errors.New("handler"))
		}
		if want := fmt.Sprintf("0-%d", u.Offset()); u.Decoded() != want {
			t.Errorf("%d: decoded %v, want %s", u.Offset(), u.Decoded(), want)
		}
		u.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got.attempts["a/0@5"] != 3 || got.attempts["a/0@7"] != 0 || got.len() != 19 {
		t.Errorf("5 was delivered %d times, 7 %d times, %d records in all", got.attempts["a/0@5"], got.attempts["a/0@7"], got.len())
	}
	if causes[spout.DroppedAttempts] != 1 || causes[spout.DroppedUndecodable] != 1 {
		t.Errorf("dropped: %v, want one by attempts and one undecodable", causes)
	}
	if !strings.Contains(log.String(), "spout_test.go") {
		t.Error("the log doesn't show the stack of the panic")
	}
}

// TestZooKeeperAway: the spout goes on within its bounds, and commits when
// ZooKeeper is back.
func TestZooKeeperAway(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 2}})
	produce(t, c, "a", 0, 10)
	produce(t, c, "a", 1, 10)
	cfg := config(t, c, "a")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	got := newSeen()
	s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		got.add(u)
		u.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	eventually(t, "the first records are stored", func() bool {
		cp, ok, _ := c.Stored(t.Context(), "test", "a", 1)
		return got.len() == 20 && ok && cp.Offset == 10
	})
	c.StopZooKeeper()
	produce(t, c, "a", 0, 500)
	eventually(t, "records are delivered while ZooKeeper is away", func() bool { return got.len() == 520 })
	if err := c.StartZooKeeper(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "they are stored when it is back", func() bool {
		cp, ok, _ := c.Stored(t.Context(), "test", "a", 0)
		return ok && cp.Offset == 510
	})
	if n := c.ExpireSessions(); n == 0 {
		t.Error("no session to expire")
	}
	produce(t, c, "a", 1, 5)
	eventually(t, "commits go on in a new session", func() bool {
		cp, ok, _ := c.Stored(t.Context(), "test", "a", 1)
		return ok && cp.Offset == 15
	})
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30s: %s", what)
		}
		time.Sleep(5 * time.Millisecond) // between two looks
	}
}

// TestStatusAfterRun: what was counted can be read when Run has returned.
func TestStatusAfterRun(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 10)
	cfg := config(t, c, "a")
	cfg.StopAtEnd, cfg.MaxAttempts = true, 1
	s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
		if u.Offset() == 4 {
			u.Fail(errors.New("given up"))
			return
		}
		u.Ack()
		u.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ps := s.Partitions()
	if len(ps) != 1 || ps[0].Committed != 10 || ps[0].Dropped != 1 || ps[0].Ignored != 9 {
		t.Errorf("after Run: %+v, want 10 committed, one dropped, nine acks ignored", ps)
	}
}
