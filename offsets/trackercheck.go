package offsets

import "fmt"

// Check walks the invariants of t, for tests of what is built on it.
func (t *Tracker) Check() error {
	for _, s := range []*Set{&t.pending, &t.failed, &t.ready} {
		if err := s.check(); err != nil {
			return err
		}
	}
	if hi, ok := t.pending.Max(); ok && hi >= t.position {
		return fmt.Errorf("offsets: %d is pending at position %d", hi, t.position)
	}
	for o := range t.failed.All() {
		if _, ok := t.retries[o]; !ok || !t.pending.Contains(o) {
			return fmt.Errorf("offsets: %d is failed: pending %t, with a retry %t", o, t.pending.Contains(o), ok)
		}
	}
	for o := range t.ready.All() {
		if !t.failed.Contains(o) {
			return fmt.Errorf("offsets: %d is ready, but not failed", o)
		}
	}
	for o := range t.retries {
		if !t.pending.Contains(o) {
			return fmt.Errorf("offsets: a retry is kept of %d, which is done", o)
		}
	}
	for i, r := range t.restored {
		if r.From >= r.To || r.From <= t.position || i > 0 && r.From <= t.restored[i-1].To {
			return fmt.Errorf("offsets: restored %v at position %d", t.restored, t.position)
		}
	}
	return nil
}
