package spout

import (
	"time"

	"github.com/kspout/kspout/offsets"
)

// ack takes the ack of t and reports whether it counted. Rules A1 to A4.
func (m *partitionManager) ack(t *Tuple) bool {
	ok := t.plain() && t.state.CompareAndSwap(inFlight, acked)
	if ok {
		t.blk.note(t.index)
		m.live.touch(t.blk)
	} else {
		ok = m.ackSlow(t)
	}
	switch {
	case !ok:
		m.ignored.Add(1)
	case m.starved.Load():
		m.wake()
	}
	return ok
}

// ackSlow takes an ack that the tracker has to hear of at once: of a retry, a
// late one, one tuple of several, or with MaxOffsetBehind.
func (m *partitionManager) ackSlow(t *Tuple) bool {
	m.mu.Lock()
	defer m.unlock()
	if m.isStale(t) {
		return false
	}
	r, o := t.record(), t.Offset()
	switch state := r.state.Load(); {
	case state == inFlight && r != t:
		if !t.state.CompareAndSwap(inFlight, acked) {
			return false
		}
		if r.ext.fan.left--; r.ext.fan.left == 0 {
			r.blk.settle(r, inFlight, done)
			m.ackOffset(o)
		} else {
			m.tracker.PartAcked()
		}
	case state == inFlight:
		if !r.blk.settle(r, inFlight, done) || !m.ackOffset(o) {
			return false
		}
	case state == failed && r == t && r.ext.fanned() == nil:
		if !m.ackOffset(o) {
			return false
		}
	default:
		return false
	}
	m.dropBehind(o)
	return true
}

// ackOffset makes a pending offset done and cancels a delivery of it that is
// still to come, or out. The caller holds mu.
func (m *partitionManager) ackOffset(o int64) bool {
	if !m.tracker.Ack(o) {
		return false
	}
	if t := m.latest[o]; t != nil {
		t.blk.cancel(t)
		delete(m.latest, o)
	}
	return true
}

// dropBehind gives up what is too far behind an acked offset. Rule A4. The caller
// holds mu.
func (m *partitionManager) dropBehind(o int64) {
	if m.opts.policy.MaxBehind < 0 {
		return
	}
	limit := o - m.opts.policy.MaxBehind
	n := m.tracker.DropBelow(limit)
	if n == 0 {
		return
	}
	for b := range m.live.all() {
		for i := range b.tuples {
			t := &b.tuples[i]
			if t.Offset() >= limit {
				break
			}
			b.cancel(t)
		}
	}
	m.forgetLatest()
	m.noteDropped(n, DroppedBehind)
}

// fail takes the fail of t and reports whether it counted. tooMany is storm-kafka's
// guard: rule E4.
func (m *partitionManager) fail(t *Tuple, cause error) (ok, tooMany bool) {
	ok, tooMany = m.failNow(t, cause, time.Now())
	if ok {
		m.wake() // a retry may be due, or there is room
	} else {
		m.ignored.Add(1)
	}
	return ok, tooMany
}

func (m *partitionManager) failNow(t *Tuple, cause error, now time.Time) (ok, tooMany bool) {
	m.mu.Lock()
	defer m.unlock()
	r := t.record()
	if m.isStale(t) || r != t && t.state.Load() != inFlight {
		return false, false
	}
	return m.failRecord(r, cause, now)
}

// failRecord fails a record that is in flight. The caller holds mu.
func (m *partitionManager) failRecord(r *Tuple, cause error, now time.Time) (ok, tooMany bool) {
	if !r.blk.settle(r, inFlight, failed) {
		return false, false
	}
	m.noteFail(r, cause, m.tracker.Fail(r.Offset(), now))
	if m.tracker.TooManyFailures() {
		m.note(func(e *Events) { e.tooManyFailures(m.opts.partition) })
		return true, true
	}
	return true, false
}

// noteFail tells of a fail and what it led to. The caller holds mu.
func (m *partitionManager) noteFail(r *Tuple, cause error, out offsets.Outcome) {
	o := r.Offset()
	delete(m.latest, o) // it is fetched again: its batch isn't to be kept until then
	f := Failure{Partition: m.opts.partition, Offset: o, Attempt: r.Attempt(), Err: cause, Retrying: out == offsets.Retrying}
	m.note(func(e *Events) { e.failed(f) })
	switch out {
	case offsets.DroppedBehind:
		m.noteDropped(1, DroppedBehind)
	case offsets.DroppedAttempts:
		m.noteDropped(1, DroppedAttempts)
	case offsets.LostBelowStart:
		m.noteLost(1, LostRetention)
	}
}

func (m *partitionManager) noteDropped(n int64, cause Cause) {
	m.note(func(e *Events) { e.dropped(Loss{m.opts.partition, n, cause}) })
}

func (m *partitionManager) noteLost(n int64, cause Cause) {
	if n > 0 {
		m.note(func(e *Events) { e.lost(Loss{m.opts.partition, n, cause}) })
	}
}

// fanned returns the fan of a record that yielded several tuples, else nil.
func (x *extension) fanned() *fan {
	if x == nil {
		return nil
	}
	return x.fan
}
