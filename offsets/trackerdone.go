package offsets

// Ack makes o done because its work is. It reports whether o was pending; if
// not, nothing changes.
func (t *Tracker) Ack(o int64) bool {
	if !t.finish(o) {
		return false
	}
	t.acks++
	return true
}

// PartAcked notes an accepted ack that makes nothing done: of one tuple of
// several.
func (t *Tracker) PartAcked() { t.acks++ }

// AckRange acks all pending offsets of [from, to) and returns how many there
// were. None of them has ever failed.
func (t *Tracker) AckRange(from, to int64) int64 {
	n := t.pending.RemoveRange(from, to)
	t.acks += n
	t.counts.Done += n
	if n > 0 {
		t.revision++
	}
	return n
}

// Skip makes o done because it yields no tuple.
func (t *Tracker) Skip(o int64) bool { return t.finish(o) }

// Drop makes o done because a setting says so.
func (t *Tracker) Drop(o int64) bool {
	ok := t.finish(o)
	if ok {
		t.counts.Dropped++
	}
	return ok
}

// DropBelow drops all pending offsets below limit and returns how many there
// were.
func (t *Tracker) DropBelow(limit int64) (n int64) {
	for o, ok := t.pending.Min(); ok && o < limit; o, ok = t.pending.Min() {
		t.Drop(o)
		n++
	}
	return n
}

// Lose makes o done because the broker no longer has it.
func (t *Tracker) Lose(o int64) bool {
	ok := t.finish(o)
	if ok {
		t.counts.Lost++
	}
	return ok
}

// finish makes a pending offset done and forgets its retries.
func (t *Tracker) finish(o int64) bool {
	if !t.pending.Remove(o) {
		return false
	}
	if len(t.retries) > 0 {
		t.failed.Remove(o)
		t.ready.Remove(o)
		delete(t.retries, o)
	}
	t.counts.Done++
	t.revision++
	return true
}

// CountDropped counts n offsets that were given up before they were taken.
func (t *Tracker) CountDropped(n int64) { t.counts.Dropped += n; t.counts.Done += n }

// CountLost counts n offsets that were gone before they were taken.
func (t *Tracker) CountLost(n int64) { t.counts.Lost += n; t.counts.Done += n }
