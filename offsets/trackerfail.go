package offsets

import "time"

// An Outcome is what a fail led to.
type Outcome int8

const (
	// Ignored: the offset isn't pending, or has failed already.
	Ignored Outcome = iota
	// Retrying: the offset is failed and due after its delay.
	Retrying
	// DroppedBehind: given up, being more than MaxBehind offsets behind.
	DroppedBehind
	// DroppedAttempts: given up after MaxAttempts deliveries.
	DroppedAttempts
	// LostBelowStart: the broker no longer has it, so it can't be retried.
	LostBelowStart
)

// Fail takes the fail of the latest delivery of o, which is with the user. Where
// several rules apply, lost comes before MaxBehind before MaxAttempts.
func (t *Tracker) Fail(o int64, now time.Time) Outcome {
	if !t.failable(o) {
		return Ignored
	}
	t.fails++
	if t.policy.MaxBehind >= 0 && o >= t.start && o < t.emitted-t.policy.MaxBehind {
		t.Drop(o)
		return DroppedBehind
	}
	return t.fail(o, now)
}

// FailUndecodable takes the fail of a record from which no tuple could be made:
// as if it had been emitted and had failed, but MaxBehind has no say.
func (t *Tracker) FailUndecodable(o int64, now time.Time) Outcome {
	if !t.failable(o) {
		return Ignored
	}
	return t.fail(o, now)
}

func (t *Tracker) failable(o int64) bool { return t.pending.Contains(o) && !t.failed.Contains(o) }

func (t *Tracker) fail(o int64, now time.Time) Outcome {
	attempt := t.Attempt(o)
	switch {
	case o < t.start:
		t.Lose(o)
		return LostBelowStart
	case t.policy.MaxAttempts > 0 && attempt >= t.policy.MaxAttempts:
		t.Drop(o)
		return DroppedAttempts
	}
	due := now.Add(t.policy.Retry.Delay(attempt))
	t.retries[o] = retry{attempt: attempt, due: due}
	t.failed.Add(o)
	t.waiting.add(o, due)
	return Retrying
}

// TooManyFailures is storm-kafka's guard: with MaxBehind set, more than that
// many fails were taken and nothing was ever acked.
func (t *Tracker) TooManyFailures() bool {
	return t.policy.MaxBehind >= 0 && t.acks == 0 && t.fails > t.policy.MaxBehind
}

// Attempt returns the number of the latest delivery of o: 1 unless it was
// requeued.
func (t *Tracker) Attempt(o int64) int {
	if r, ok := t.retries[o]; ok {
		return r.attempt
	}
	return 1
}

// Due returns the lowest failed offset at or above from whose retry is due.
func (t *Tracker) Due(from int64, now time.Time) (int64, bool) {
	t.promote(now)
	return t.ready.Next(from)
}

// NextReady returns the lowest offset at or above from whose retry was found due
// by [Tracker.Due].
func (t *Tracker) NextReady(from int64) (int64, bool) { return t.ready.Next(from) }

// IsDue reports whether o is failed and its retry was found due by [Tracker.Due].
func (t *Tracker) IsDue(o int64) bool { return t.ready.Contains(o) }

// NextDue returns when the next retry is due: the zero time if one is due
// already, and false if nothing has failed.
func (t *Tracker) NextDue() (time.Time, bool) {
	if t.ready.Len() > 0 {
		return time.Time{}, true
	}
	t.clean()
	if len(t.waiting) == 0 {
		return time.Time{}, false
	}
	return t.waiting[0].due, true
}

// promote moves the failed offsets that are due to ready.
func (t *Tracker) promote(now time.Time) {
	for t.clean(); len(t.waiting) > 0 && !t.waiting[0].due.After(now); t.clean() {
		t.ready.Add(t.waiting.drop().offset)
	}
}

// clean drops the void entries at the head of the queue: those of offsets that
// are done, out again, or failed again since.
func (t *Tracker) clean() {
	for len(t.waiting) > 0 {
		e := t.waiting[0]
		if r, ok := t.retries[e.offset]; ok && r.due.Equal(e.due) && t.failed.Contains(e.offset) && !t.ready.Contains(e.offset) {
			return
		}
		t.waiting.drop()
	}
}

// Requeue takes a failed offset out of the retry order, because its record is
// here again, and returns the number of the delivery to come.
func (t *Tracker) Requeue(o int64) (attempt int) {
	t.failed.Remove(o)
	t.ready.Remove(o)
	r := t.retries[o]
	r.attempt++
	t.retries[o] = r
	return r.attempt
}
