package spout

import "fmt"

// check walks the invariants that tie a manager's blocks to its tracker.
func (m *partitionManager) check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live.sweepAll(m.tracker)
	held := 0 // pending offsets that a live block stands for
	seen := map[int64]bool{}
	for b := range m.live.all() {
		open := 0
		for i := range b.tuples {
			t := &b.tuples[i]
			switch s := t.state.Load(); s {
			case queued, inFlight:
				open++
				held++
				if !m.tracker.IsPending(t.Offset()) {
					return fmt.Errorf("%d is open in a block, but not pending", t.Offset())
				}
				if seen[t.Offset()] {
					return fmt.Errorf("%d is open in two blocks", t.Offset())
				}
				seen[t.Offset()] = true
			case acked:
				return fmt.Errorf("%d is acked after a sweep", t.Offset())
			}
		}
		if open != b.open {
			return fmt.Errorf("block at %d: open is %d, counted %d", b.base, b.open, open)
		}
	}
	if want := m.tracker.Pending() - m.tracker.Failed(); held != want {
		return fmt.Errorf("%d offsets open in blocks, %d pending and not failed", held, want)
	}
	for o, t := range m.latest {
		if t.Offset() != o || !m.tracker.IsPending(o) {
			return fmt.Errorf("latest delivery of %d is of %d, pending: %t", o, t.Offset(), m.tracker.IsPending(o))
		}
	}
	return m.tracker.Check()
}

func (s *scenario) check() error { return s.manager.check() }
