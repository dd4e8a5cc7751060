package spout

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kspout/kspout/fetch"
)

// A slowSource answers like a script, but each retry only when asked a second
// time, and then wakes the owner; the first answers to retries tell nothing.
type slowSource struct {
	*scriptSource
	wake    func()
	nothing int // answers that are still to prove nothing
	asked   int64
	ready   bool
}

func (s *slowSource) Again(at int64) (fetch.Answer, bool) {
	if !s.ready || s.asked != at {
		s.asked, s.ready = at, false
		time.AfterFunc(time.Millisecond, func() {
			s.ready = true
			s.wake()
		})
		return fetch.Answer{}, false
	}
	s.ready = false
	if s.nothing > 0 {
		s.nothing--
		l := s.look()
		return fetch.Answer{Start: -1, End: -1, Look: &l}, true
	}
	return s.scriptSource.Again(at)
}

// TestRetryOfWhichNothingIsTold: a due record is asked for again, though nothing
// else happens, after answers that prove nothing; and where it became due between
// a fill and the wait.
func TestRetryOfWhichNothingIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, _ := openScripted(t, 1, func(o *managerOptions, _ *scriptLog) {
			o.policy.Retry = Backoff{Initial: time.Second, Multiplier: 1, Max: time.Second}
		})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		p := &partition{m: m, ctx: ctx, wake: make(chan struct{}, 1)}
		src := &slowSource{scriptSource: m.source.(*scriptSource), wake: p.poke, nothing: 3}
		m.source, m.wake = src, p.poke
		emit := func() *Tuple {
			for ctx.Err() == nil {
				ts, err := m.next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if len(ts) > 0 {
					return &ts[0]
				}
				p.idle()
			}
			t.Fatal("the record doesn't come")
			return nil
		}
		emit().Fail(nil)
		u := emit()
		if u.Attempt() != 2 {
			t.Errorf("delivery %d, want 2", u.Attempt())
		}
		u.Fail(nil)
		<-p.wake
		if ts, err := m.next(ctx); len(ts) > 0 || err != nil {
			t.Fatalf("%d tuples before the retry is due, error %v", len(ts), err)
		}
		time.Sleep(time.Second) // it becomes due, and nobody asks for it
		if u = emit(); u.Attempt() != 3 {
			t.Errorf("delivery %d, want 3", u.Attempt())
		}
	})
}

// TestRetriesFarApart: a retry may be answered by a batch that lies further above
// than 32 bits reach.
func TestRetriesFarApart(t *testing.T) {
	const far = 3 << 30
	m, _, _ := openScripted(t, 1, nil)
	log := m.source.(*scriptSource)
	ts, err := m.next(t.Context())
	if err != nil || len(ts) != 1 {
		t.Fatalf("%d tuples, error %v", len(ts), err)
	}
	m.mu.Lock()
	m.tracker.Advance(far, -1)
	m.mu.Unlock()
	log.end = far + 1
	high, err := m.next(t.Context())
	if err != nil || len(high) != 1 {
		t.Fatalf("%d tuples, error %v", len(high), err)
	}
	ts[0].Fail(nil)
	high[0].Fail(nil)
	far1 := &farSource{log, far}
	m.source = far1
	again, err := m.next(t.Context())
	if err != nil || len(again) != 1 || again[0].Offset() != far {
		t.Fatalf("retried %v, error %v, want %d", again, err, int64(far))
	}
	if c := m.status(); c.Lost != 1 {
		t.Errorf("%d lost, want the one that is gone", c.Lost)
	}
}

// A farSource answers every retry with the record at an offset.
type farSource struct {
	*scriptSource
	at int64
}

func (s *farSource) Again(int64) (fetch.Answer, bool) { return s.scriptSource.Again(s.at) }
