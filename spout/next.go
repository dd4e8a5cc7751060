package spout

import (
	"context"
	"iter"
	"runtime/debug"
	"time"
)

// next emits the tuples of one record: it registers them as in flight and returns
// them, none if nothing is there to be emitted. It fills the queue if that is
// empty, again and again as long as that makes progress, so none means idle; it
// never waits for the source. It waits for the store where a position has to be
// stored first. Rules N1 to N5. Owner only.
func (m *partitionManager) next(ctx context.Context) ([]Tuple, error) {
	var last progress // at the fill before
	for filled := false; ; {
		if err := m.saveNow(ctx); err != nil {
			return nil, err
		}
		for b, i := m.pop(); b != nil; b, i = m.pop() {
			if out := m.emit(b, i); out != nil {
				return out, nil
			}
		}
		before := m.progress()
		if filled && before == last {
			return nil, nil
		}
		last, filled = before, true
		if err := m.fill(time.Now()); err != nil {
			return nil, err
		}
		if len(m.queue) == 0 && !m.dirty && m.progress() == before {
			return nil, nil
		}
	}
}

// A progress tells whether anything was taken or became done, or whether the log
// is another one, or was cut: its records may lie at the same position, and the
// source waits to be asked for it again.
type progress struct {
	position, done int64
	gen, cuts      int
}

func (m *partitionManager) progress() progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	return progress{m.tracker.Position(), m.tracker.Counts().Done, m.gen, m.cutLooks}
}

// pop takes the next tuple off the queue, nil if there is none. It may be stale.
func (m *partitionManager) pop() (b *block, i int) {
	for len(m.queue) > 0 {
		b := m.queue[0]
		if m.at < len(b.tuples) {
			m.at++
			return b, m.at - 1
		}
		m.queue, m.at = m.queue[1:], 0
	}
	return nil, 0
}

// waiting returns the tuples that wait to be emitted. They may be cancelled
// meanwhile, by whoever walks them, too. Owner only.
func (m *partitionManager) waiting() iter.Seq[*Tuple] {
	return func(yield func(*Tuple) bool) {
		at := m.at
		for _, b := range m.queue {
			for ; at < len(b.tuples); at++ {
				if t := &b.tuples[at]; t.state.Load() == queued && !yield(t) {
					return
				}
			}
			at = 0
		}
	}
}

// emit hands out the record of a tuple that was queued. It returns nothing if the
// tuple is stale, or if the record yields no tuple.
func (m *partitionManager) emit(b *block, i int) []Tuple {
	t, out := &b.tuples[i], b.tuples[i:i+1:i+1]
	if m.opts.scheme != nil && t.state.Load() == queued {
		fan, ok := m.decode(t)
		if !ok {
			return nil
		}
		if fan != nil {
			out = fan
		}
	}
	if b.plain && m.opts.timeout == 0 {
		// The usual case needs no lock: whoever cancels t does so by its state.
		if !t.state.CompareAndSwap(queued, inFlight) {
			return nil
		}
		return out
	}
	m.mu.Lock()
	defer m.unlock()
	now := time.Now()
	b.left(i, m.opts.timeout, now)
	if !t.state.CompareAndSwap(queued, inFlight) {
		return nil
	}
	m.tracker.Emitted(t.Offset())
	if m.opts.timeout > 0 {
		m.armExpiry(now.Add(m.opts.timeout))
	}
	return out
}

// decode asks the scheme what the record of t yields. ok is false if that is no
// tuple, and t is settled; fan is set if it is several. Rules N2 to N4.
func (m *partitionManager) decode(t *Tuple) (fanned []Tuple, ok bool) {
	var values []any
	var r Record
	t.fillRecord(&r)
	err := m.contain(func() error {
		return m.opts.scheme.Decode(&r, func(v any) { values = append(values, v) })
	})
	switch {
	case err != nil:
		m.undecodable(t, err)
		return nil, false
	case len(values) == 0:
		m.skip(t)
		return nil, false
	}
	x := &extension{attempt: t.Attempt(), value: values[0]}
	t.ext = x
	if len(values) == 1 {
		return nil, true
	}
	x.fan = &fan{tuples: make([]Tuple, len(values)), left: len(values)}
	for i, v := range values {
		s := &x.fan.tuples[i]
		s.blk, s.pos, s.delta = t.blk, t.pos, t.delta
		s.ext = &extension{attempt: x.attempt, value: v, main: t}
		s.state.Store(inFlight)
	}
	return x.fan.tuples, true
}

// skip takes a record that yields no tuple: it is done. Rule N2.
func (m *partitionManager) skip(t *Tuple) {
	m.mu.Lock()
	defer m.unlock()
	if t.blk.settle(t, queued, done) {
		m.tracker.Skip(t.Offset())
		delete(m.latest, t.Offset())
	}
}

// undecodable takes a record of which the scheme can make nothing. Rule N3.
func (m *partitionManager) undecodable(t *Tuple, cause error) {
	m.mu.Lock()
	defer m.unlock()
	o := t.Offset()
	if m.opts.onUndecodable == FailUndecodable {
		if t.blk.settle(t, queued, failed) {
			m.noteFail(t, &RecordError{Partition: m.opts.partition, Offset: o, Err: cause}, m.tracker.FailUndecodable(o, time.Now()))
		}
		return
	}
	if t.blk.settle(t, queued, stale) && m.tracker.Drop(o) {
		delete(m.latest, o)
		f := Failure{Partition: m.opts.partition, Offset: o, Attempt: t.Attempt(), Err: cause}
		m.note(func(e *Events) { e.failed(f) })
		m.noteDropped(1, DroppedUndecodable)
	}
}

// contain calls user code, and makes a panic of it an error unless it is to
// crash.
func (m *partitionManager) contain(f func() error) (err error) {
	if m.opts.crash {
		return f()
	}
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}

// saveNow stores what has to be stored before anything is emitted, if there is
// such a thing. A refused write is an error, and is tried again by the next
// call. Owner only.
func (m *partitionManager) saveNow(ctx context.Context) error {
	if !m.dirty {
		return nil
	}
	if err := m.save(ctx); err != nil {
		return err
	}
	m.dirty = false
	return nil
}
