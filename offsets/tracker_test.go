package offsets

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// FuzzTracker replays a script against a Tracker and its model. The first bytes
// choose the policy and what is restored, then each step is four: what to do, two
// numbers, and by how many ms the clock moves on.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 0, 1, 5, 0, 8, 2, 0, 9, 12, 1, 1, 1})
	f.Add([]byte{4, 0, 9, 9, 0, 8, 0, 0, 9, 0, 8, 8, 0, 200, 15, 3, 0, 0, 8, 1, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) <= 4096 {
			replayTracker(t, script)
		}
	})
}

// TestTrackerAtRandom is FuzzTracker with random scripts, longer ones than the
// fuzzer's.
func TestTrackerAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		script := make([]byte, 6+4*rng.IntN(120))
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		replayTracker(t, script)
	}
}

func replayTracker(t *testing.T, script []byte) {
	t.Helper()
	if len(script) < 6 {
		return
	}
	p := Policy{
		Retry:       Backoff{Initial: time.Duration(script[0]%4) * time.Millisecond, Multiplier: float64(1 + script[1]%3), Max: 20 * time.Millisecond},
		MaxAttempts: int(script[2] % 4), MaxBehind: int64(script[3]%12) - 2,
	}
	position := int64(script[4] % 16)
	var acked []Range
	for at, b := position+int64(script[5]%3), int64(script[5]); b > 0; b /= 3 {
		acked = append(acked, Range{at, at + 1 + b%3})
		at += 2 + b%3 + b%2
	}
	tr := NewTracker(p, position, position/2)
	tr.Restore(acked, 1, 2)
	m := newTrackerModel(p, position, position/2, acked, 1, 2)
	now, epoch := time.Unix(1000, 0), int32(2)
	compareTracker(t, "restored", tr, m, now)
	for script = script[6:]; len(script) >= 4; script = script[4:] {
		op, x, y := script[0]%18, int64(script[1]), int64(script[2])
		now = now.Add(time.Duration(script[3]%8) * time.Millisecond)
		o := max(0, m.position-1-x%24)
		step := fmt.Sprintf("step %d of %d bytes left: op %d, %d, %d", op, len(script), op, x, y)
		var got, want any
		switch op {
		case 0, 1, 2:
			from := m.position + x%3
			to := from
			for to < from+1+y%9 && !m.restored[to] {
				to++
			}
			if epoch += int32(x / 200); to > from {
				tr.Take(from, to, epoch)
				m.take(from, to, epoch)
			}
		case 3:
			epoch += int32(y / 200)
			tr.Advance(m.position-1+x%4, epoch)
			m.advance(m.position-1+x%4, epoch)
		case 4, 5:
			got, want = tr.Ack(o), m.ack(o)
		case 6:
			got, want = ackRange(tr, m, o, o+y%8)
		case 7:
			got, want = tr.Skip(o), m.finish(o)
		case 8, 9, 10:
			tr.Emitted(o)
			m.emitted = max(m.emitted, o+1)
			got, want = tr.Fail(o, now), m.fail(o, now, true)
		case 11:
			got, want = tr.FailUndecodable(o, now), m.fail(o, now, false)
		case 12, 13:
			got, want = requeueAll(tr, m, o, now, int(y%3))
		case 14:
			switch y % 4 {
			case 0:
				got, want = tr.Drop(o), m.drop(o)
			case 1:
				got, want = tr.Lose(o), m.lose(o)
			case 2:
				got = tr.DropBelow(o)
				n := int64(0)
				for _, b := range slices.Collect(maps.Keys(m.pending)) {
					if b < o && m.drop(b) {
						n++
					}
				}
				want = n
			default:
				tr.PartAcked()
				m.acks++
			}
		case 15:
			s := m.start - 2 + x%9
			got, want = tr.LogStart(s), m.logStart(s)
		case 16:
			end := max(0, m.position+2-x%12)
			l1, u1 := tr.Truncate(end)
			l2, u2 := m.truncate(end)
			got, want = [2]int64{l1, u1}, [2]int64{l2, u2}
		case 17:
			if y%4 == 0 {
				got, want = tr.Recreate(x%8), m.recreate(x%8)
			} else {
				tr.ForgetRestored(m.position + x%12)
				m.forgetRestored(m.position + x%12)
			}
		}
		if got != want {
			t.Fatalf("%s: got %v, want %v", step, got, want)
		}
		compareTracker(t, step, tr, m, now)
	}
}

// ackRange acks [from, to), as one range if none of it ever failed.
func ackRange(tr *Tracker, m *trackerModel, from, to int64) (got, want int64) {
	failed := slices.ContainsFunc(slices.Collect(maps.Keys(m.attempts)), func(o int64) bool { return o >= from && o < to })
	if !failed {
		got = tr.AckRange(from, to)
	}
	for o := from; o < to; o++ {
		if failed && tr.Ack(o) {
			got++
		}
		if m.ack(o) {
			want++
		}
	}
	return got, want
}

// requeueAll requeues up to n due offsets from o on, and returns the attempts.
func requeueAll(tr *Tracker, m *trackerModel, o int64, now time.Time, n int) (got, want string) {
	for range n {
		at, ok := tr.Due(o, now)
		wantAt, wantOK := m.due(o, now)
		got += fmt.Sprint(at, ok)
		want += fmt.Sprint(wantAt, wantOK)
		if !ok || !wantOK || at != wantAt {
			break
		}
		got += fmt.Sprint("@", tr.Requeue(at), ";")
		m.attempts[at]++
		delete(m.failed, at)
		want += fmt.Sprint("@", m.attempts[at], ";")
		o = at + 1
	}
	return got, want
}

func compareTracker(t *testing.T, step string, tr *Tracker, m *trackerModel, now time.Time) {
	t.Helper()
	if err := tr.Check(); err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	same := func(what string, got, want any) {
		t.Helper()
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
			t.Fatalf("%s: %s is %s, want %s", step, what, got, want)
		}
	}
	same("Position", tr.Position(), m.position)
	same("Start", tr.Start(), m.start)
	same("Committed", tr.Committed(), m.committed())
	same("Acked", tr.Acked(), m.acked())
	same("PendingRanges", slices.Collect(tr.PendingRanges()), asRanges(slices.Sorted(maps.Keys(m.pending))))
	same("FailedRanges", slices.Collect(tr.FailedRanges()), asRanges(slices.Sorted(maps.Keys(m.failed))))
	same("Pending, Failed", []int{tr.Pending(), tr.Failed()}, []int{len(m.pending), len(m.failed)})
	same("Counts", tr.Counts(), m.counts)
	same("TooManyFailures", tr.TooManyFailures(), m.policy.MaxBehind >= 0 && m.acks == 0 && m.fails > m.policy.MaxBehind)
	for o := m.position - 8; o < m.position+8; o++ {
		if got, want := tr.Attempt(o), max(1, m.attempts[o]); got != want {
			t.Fatalf("%s: Attempt(%d) = %d, want %d", step, o, got, want)
		}
		if _, got := tr.Restored(o); got != m.restored[o] {
			t.Fatalf("%s: Restored(%d) = %t, want %t", step, o, got, m.restored[o])
		}
	}
	at, ok := tr.Due(0, now)
	wantAt, wantOK := m.due(0, now)
	same("Due", fmt.Sprint(at, ok), fmt.Sprint(wantAt, wantOK))
	next, ok := tr.NextDue()
	wantNext, wantOK := m.nextDue(now)
	same("NextDue", fmt.Sprint(next, ok), fmt.Sprint(wantNext, wantOK))

	ranges := tr.Acked()
	leader, highest := tr.Epochs(ranges)
	if want := m.epochAt(m.committed() - 1); leader != want && !(m.vague && leader == -1) {
		t.Fatalf("%s: leader epoch at %d is %d, want %d", step, m.committed(), leader, want)
	}
	switch n := len(ranges); {
	case len(m.restored) > 0:
		same("restored epoch", highest, m.restoredEpoch)
	case n > 0 && !(m.vague && highest == -1):
		same("epoch of the highest ack", highest, m.epochAt(ranges[n-1].To-1))
	case n == 0:
		same("epoch of the highest ack", highest, -1)
	}
}
