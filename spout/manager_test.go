package spout

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
)

// openScripted opens a manager on a scripted log of n records.
func openScripted(t testing.TB, n int64, set func(*managerOptions, *scriptLog)) (*partitionManager, *scriptStore, chan struct{}) {
	t.Helper()
	log := &scriptLog{end: n, id: offsets.TopicID{1}, kind: map[int64]string{}, gone: map[int64]bool{}}
	o := managerOptions{
		partition: scenarioPartition, id: "test", instance: "A", fetchSize: 1000,
		policy: offsets.Policy{Retry: Backoff{Multiplier: 1, Max: time.Second}, MaxBehind: -1},
	}
	if set != nil {
		set(&o, log)
	}
	store := newScriptStore()
	src := &scriptSource{scriptLog: log, id: log.id, partition: o.partition, fetchSize: o.fetchSize}
	stored, _ := store.Load(t.Context(), []offsets.Partition{o.partition})
	wake := make(chan struct{}, 1)
	m, err := openManager(t.Context(), o, src, store, log.look(), stored[0], func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, store, wake
}

// emitted yields the tuple of each record, one for each, until nothing is there.
func (m *partitionManager) emitted(t testing.TB) iter.Seq[*Tuple] {
	return func(yield func(*Tuple) bool) {
		for {
			ts, err := m.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(ts) == 0 || !yield(&ts[0]) {
				return
			}
		}
	}
}

// TestAcksFromManyGoroutines: what four goroutines ack and fail in any order,
// while records are taken and commits run, ends with every record acked, none
// lost, and the end committed.
func TestAcksFromManyGoroutines(t *testing.T) {
	const records, ackers = 50_000, 4
	m, store, wake := openScripted(t, records, func(o *managerOptions, _ *scriptLog) { o.maxPending = 5000 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	work := make(chan *Tuple, 64)
	var wg sync.WaitGroup
	acked := make([]map[int64]int, ackers)
	for i := range ackers {
		acked[i] = map[int64]int{}
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			var held []*Tuple
			settle := func(keep int) {
				for len(held) > keep {
					j := rng.IntN(len(held))
					u := held[j]
					held[j] = held[len(held)-1]
					held = held[:len(held)-1]
					if rng.IntN(20) == 0 {
						u.Fail(nil)
						continue
					}
					acked[i][u.Offset()]++
					u.Ack()
				}
			}
			for u := range work {
				held = append(held, u)
				settle(rng.IntN(200))
				if len(work) == 0 {
					settle(0)
				}
			}
			settle(0)
		})
	}
	commits := make(chan struct{})
	go func() {
		defer close(commits)
		last := int64(0)
		for ctx.Err() == nil {
			w, ok := m.beginCommit()
			if ok {
				if w.Checkpoint.Offset < last {
					t.Errorf("the committed offset went from %d down to %d", last, w.Checkpoint.Offset)
				}
				last = w.Checkpoint.Offset
				m.endCommit(w, store.Save(ctx, []offsets.Write{w})[0])
			}
			if last == records {
				return
			}
			time.Sleep(100 * time.Microsecond) // commits as often as they may come
		}
		t.Error("the end was not committed within the time")
	}()

	for done := false; !done; {
		ts, err := m.next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ts {
			work <- &ts[i]
		}
		if len(ts) == 0 {
			select {
			case <-wake:
			case <-commits:
				done = true
			}
		}
	}
	close(work)
	wg.Wait()
	if err := m.check(); err != nil {
		t.Error(err)
	}
	all := map[int64]int{}
	for _, a := range acked {
		for o, n := range a {
			all[o] += n
		}
	}
	for o := range int64(records) {
		if all[o] != 1 {
			t.Fatalf("%d was acked %d times, want once", o, all[o])
		}
	}
	if n := m.ignored.Load(); n != 0 {
		t.Errorf("%d acks or fails were ignored, want none", n)
	}
}

// TestCommitIsOneSnapshot: what is acked while a commit is under way stays dirty,
// and belongs to the next one (parallel-consumer#664, #894).
func TestCommitIsOneSnapshot(t *testing.T) {
	m, store, _ := openScripted(t, 4, nil)
	var out []*Tuple
	for u := range m.emitted(t) {
		out = append(out, u)
	}
	out[0].Ack()
	w, ok := m.beginCommit()
	if !ok || w.Checkpoint.Offset != 1 {
		t.Fatalf("first commit: %v, %+v, want offset 1", ok, w)
	}
	out[1].Ack()
	out[3].Ack()
	if _, ok := m.beginCommit(); ok {
		t.Fatal("a second write was begun while the first is under way")
	}
	m.endCommit(w, store.Save(t.Context(), []offsets.Write{w})[0])
	w, ok = m.beginCommit()
	if !ok || w.Checkpoint.Offset != 2 || len(w.Checkpoint.Acked) != 1 || w.Checkpoint.Acked[0] != (offsets.Range{From: 3, To: 4}) {
		t.Fatalf("second commit: %v, %+v, want offset 2 and [3,4) acked", ok, w)
	}
	m.endCommit(w, errStore)
	if again, ok := m.beginCommit(); !ok || again.Checkpoint.Offset != 2 {
		t.Fatalf("after a refused write: %v, %+v, want the same again", ok, again)
	}
}

// TestScatteredAcksStayBelowTheBound: acks so scattered that they would pass the
// size of a node make new records wait; nothing is cut off (pulsar#25540, C5).
func TestScatteredAcksStayBelowTheBound(t *testing.T) {
	const records = 400_000
	m, store, _ := openScripted(t, records, nil)
	store.max = 8 << 10
	m.sizeLimit = 7 << 10
	var held []*Tuple
	taken := int64(0)
	for u := range m.emitted(t) {
		taken++
		if u.Offset()%2 == 0 {
			held = append(held, u)
		} else {
			u.Ack()
		}
	}
	if taken == records || taken < 1000 {
		t.Fatalf("took %d of %d records, want some and not all", taken, records)
	}
	if err := m.save(t.Context()); err != nil {
		t.Fatalf("the checkpoint doesn't fit: %v", err)
	}
	for _, u := range held {
		u.Ack()
	}
	for u := range m.emitted(t) {
		u.Ack()
		taken++
	}
	if taken != records {
		t.Fatalf("took %d of %d records after the rest was acked", taken, records)
	}
}

// TestReopenedAtTheBound: a partition that was as full of acked ranges as the
// store allows goes on after a restart.
func TestReopenedAtTheBound(t *testing.T) {
	const records = 400_000
	m, store, wake := openScripted(t, records, nil)
	store.max = 8 << 10
	if err := m.limitSize(offsets.Checkpoint{}); err != nil {
		t.Fatal(err)
	}
	drain := func(m *partitionManager, f func(*Tuple)) {
		for {
			ts, err := m.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(ts) == 0 {
				return
			}
			f(&ts[0])
		}
	}
	drain(m, func(u *Tuple) {
		if u.Offset()%300 != 0 {
			u.Ack()
		}
	})
	if err := m.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, _ := store.Load(t.Context(), []offsets.Partition{m.opts.partition})
	o, log := m.opts, m.source.(*scriptSource)
	m, err := openManager(t.Context(), o, log, store, log.look(), stored[0], func() { wake <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	m.sizeLimit = m.tracker.AckedBound().Size(0, 0) // what is stored, and not one more
	m.wake = func() {}
	drain(m, (*Tuple).Ack)
	if p, pending := m.settled(); p != records || pending != 0 {
		t.Errorf("stuck at %d with %d pending, want the end", p, pending)
	}
}
