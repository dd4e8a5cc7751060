package offsets

import "slices"

// LogStart takes S, the log start that the leader told. Failed offsets below it
// are lost, due or not; a position below it moves up to it, and the span between
// is lost, less the restored acks in it. Pending offsets that haven't failed
// stay: the user may still ack them. A lower S than was told before is ignored.
// It returns how many were lost.
//
// Rules R1 and R2.
func (t *Tracker) LogStart(s int64) (lost int64) {
	if s <= t.start {
		s = t.start
	}
	t.start = s
	for o, ok := t.failed.Min(); ok && o < s; o, ok = t.failed.Min() {
		t.Lose(o)
		lost++
	}
	if t.position < s {
		n := s - t.position - t.restored.Count(t.position, s)
		t.CountLost(n)
		lost += n
		t.Advance(s, -1)
	}
	return lost
}

// Truncate takes the end of a log that was cut below the position: offsets at
// and above it are pending no more, nor done. It returns how many pending ones
// were lost by that, and how many were done. A log start that was told before
// counts up to end only: what comes at end is the next to take.
//
// Rule R3.
func (t *Tracker) Truncate(end int64) (lost, undone int64) {
	if end >= t.position {
		return 0, 0
	}
	lost = t.pending.RemoveFrom(end)
	undone = t.position - end - lost
	t.failed.RemoveFrom(end)
	t.ready.RemoveFrom(end)
	for o := range t.retries {
		if o >= end {
			delete(t.retries, o)
		}
	}
	t.CountLost(lost)
	t.epochs.trimFrom(end)
	t.restored = t.restored.Below(end)
	t.position = end
	t.start = min(t.start, end)
	t.emitted = min(t.emitted, end)
	t.revision++
	return lost, undone
}

// Recreate starts anew at start, the log start of another topic of the same
// name. All that was pending is lost. It returns how many there were.
//
// Rule R4.
func (t *Tracker) Recreate(start int64) (lost int64) {
	lost = int64(t.pending.Len())
	t.CountLost(lost)
	t.pending.Clear()
	t.failed.Clear()
	t.ready.Clear()
	clear(t.retries)
	t.waiting = nil
	t.restored, t.restoredEpoch = nil, -1
	t.epochs = nil
	t.position, t.start, t.emitted = start, start, 0
	t.revision++
	return lost
}

// ForgetRestored forgets restored acks at and above end, a log end that was
// told: their records are no longer there. At worst they come again.
func (t *Tracker) ForgetRestored(end int64) {
	if n := len(t.restored); n > 0 && t.restored[n-1].To > end {
		t.restored = t.restored.Below(end)
		t.restoredEpoch = -1
		t.revision++
	}
}

// Acked returns what is done above [Tracker.Committed], as a checkpoint holds it.
// The caller owns the slice.
func (t *Tracker) Acked() []Range {
	acked := slices.Collect(t.pending.Gaps(t.Committed(), t.position))
	return append(acked, t.restored...)
}

// Epochs returns the leader epochs that a checkpoint holds: that of the record
// before [Tracker.Committed], and that of the last of acked, as returned by
// [Tracker.Acked]; -1 where unknown.
func (t *Tracker) Epochs(acked []Range) (leader, highest int32) {
	c := t.Committed()
	t.epochs.trimBelow(c - 1)
	leader, highest = t.epochs.at(c-1), -1
	if len(t.restored) > 0 {
		return leader, t.restoredEpoch
	}
	if n := len(acked); n > 0 {
		highest = t.epochs.at(acked[n-1].To - 1)
	}
	return leader, highest
}

// An AckedBound bounds what a checkpoint needs for what is done above the
// committed offset, whatever is acked from here on.
type AckedBound struct {
	ranges, committed, top int64
}

// AckedBound returns the bound of the state that t is in. It holds until
// something else is taken.
func (t *Tracker) AckedBound() AckedBound {
	b := AckedBound{
		ranges:    int64(t.pending.Len()) + int64(len(t.restored)),
		committed: t.Committed(),
		top:       t.position,
	}
	if n := len(t.restored); n > 0 {
		b.top = t.restored[n-1].To
	}
	return b
}

// Size bounds the bytes after n more offsets were taken and the position has
// moved to position.
func (b AckedBound) Size(n, position int64) int64 {
	return MaxEncodedAcked(b.ranges+n, max(b.top, position)-b.committed)
}
