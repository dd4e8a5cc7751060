package offsets

import (
	"iter"
	"time"
)

// A Policy says what becomes of a failed offset.
type Policy struct {
	// Retry is the delay before each further delivery.
	Retry Backoff

	// MaxAttempts bounds the deliveries of one offset; a fail of the last one
	// drops it. 0: no bound.
	MaxAttempts int

	// MaxBehind gives up what is more than that many offsets behind
	// (storm-kafka's maxOffsetBehind). Negative: off.
	MaxBehind int64
}

// A Tracker follows the offsets of one partition from the moment they are taken
// from the log until they are done.
//
//	offset   40    41    42    43    44    45    46
//	state    done  pend  done  fail  done  pend  not taken
//	               ^ Committed() == 41           ^ Position() == 46
//	                     acked: [42,43) [44,45)
//
// Which of the pending offsets is queued and which one is with the user is the
// business of who holds the records.
//
// Not safe for concurrent use.
type Tracker struct {
	policy Policy

	// position is the next new offset to take from the log.
	position int64

	// start is the highest log start that was told for this topic id.
	start int64

	// emitted is one past the highest offset that was handed out, 0 if none was.
	emitted int64

	// Invariant: ready ⊆ failed ⊆ pending, and every element is < position.
	// Offsets below position that aren't pending are done.
	pending Set
	failed  Set
	ready   Set // the failed ones whose retry is due

	// restored holds what is done at and above position, from a checkpoint.
	// Invariant: no range starts at or below position.
	restored      Ranges
	restoredEpoch int32 // of the highest restored offset, -1 if unknown

	// retries has an entry for each pending offset that failed at least once.
	retries map[int64]retry
	waiting retryQueue // of the failed ones that aren't ready

	epochs epochs

	acks  int64 // accepted, since open
	fails int64 // taken, since open

	counts   Counts
	revision uint64
}

// A retry is what is kept of an offset that failed.
type retry struct {
	attempt int       // deliveries so far
	due     time.Time // of the next one; meaningful while it is failed
}

// Counts says how many offsets became done without an ack.
type Counts struct {
	// Dropped were given up by a setting.
	Dropped int64
	// Lost were no longer at the broker.
	Lost int64
	// Done counts all that became done, in whatever way.
	Done int64
}

// NewTracker returns a tracker that takes its first offset at position, in a log
// that starts at start.
func NewTracker(p Policy, position, start int64) *Tracker {
	return &Tracker{policy: p, position: position, start: start, restoredEpoch: -1, retries: map[int64]retry{}}
}

// Restore declares what a checkpoint says is done above the position: ranges as
// in [Checkpoint.Acked], of which only what lies at or above the position
// counts. The leader epochs are those of the record before the position and of
// the highest restored offset, -1 if unknown. To be called before anything is
// taken.
func (t *Tracker) Restore(acked []Range, leaderEpoch, ackedEpoch int32) {
	t.restored = Ranges(acked).From(t.position)
	t.restoredEpoch = ackedEpoch
	t.epochs.note(t.position-1, leaderEpoch)
	t.skipRestored()
}

// Position returns the next new offset to take from the log.
func (t *Tracker) Position() int64 { return t.position }

// Start returns the highest log start that was told for this topic id.
func (t *Tracker) Start() int64 { return t.start }

// Pending returns the number of offsets that were taken and aren't done.
func (t *Tracker) Pending() int { return t.pending.Len() }

// Failed returns the number of pending offsets that wait for their retry.
func (t *Tracker) Failed() int { return t.failed.Len() }

// PendingRanges returns the pending offsets, as ascending maximal ranges.
func (t *Tracker) PendingRanges() iter.Seq[Range] { return t.pending.Ranges() }

// FailedRanges returns the failed offsets, as ascending maximal ranges.
func (t *Tracker) FailedRanges() iter.Seq[Range] { return t.failed.Ranges() }

// IsPending reports whether o was taken and isn't done.
func (t *Tracker) IsPending(o int64) bool { return t.pending.Contains(o) }

// Counts returns what became done so far.
func (t *Tracker) Counts() Counts { return t.counts }

// Revision changes whenever what a checkpoint says may have changed.
func (t *Tracker) Revision() uint64 { return t.revision }

// Committed returns the lowest offset that isn't done: the next offset to
// process after a restart.
func (t *Tracker) Committed() int64 {
	if o, ok := t.pending.Min(); ok {
		return o
	}
	return t.position
}

// Take registers the records at offsets [from, to) as pending and moves the
// position behind them. The caller has proof that the log holds nothing in
// [Position, from), and that none of [from, to) is restored. epoch is the leader
// epoch of the records, -1 if unknown.
func (t *Tracker) Take(from, to int64, epoch int32) {
	// What lies between the position and the records is of their batch, or of none.
	t.epochs.note(t.position, epoch)
	if to == from+1 { // Add costs half as much: BenchmarkWindow
		t.pending.Add(from)
	} else {
		t.pending.AddRange(from, to)
	}
	t.position = to
	t.skipRestored()
	t.revision++
}

// Advance moves the position to to, because the log is proved to hold nothing
// from the position up to there, and past restored acks that follow. A lower to
// has no effect. epoch is the leader epoch of what proves it, -1 if unknown: that
// of a transaction marker counts, too (franz-go#1530).
func (t *Tracker) Advance(to int64, epoch int32) {
	if to > t.position {
		t.epochs.note(t.position, epoch)
		t.position = to
		t.skipRestored()
		t.revision++
	}
}

// Restored returns the end of the restored acks that o belongs to, if it does.
func (t *Tracker) Restored(o int64) (end int64, ok bool) {
	if len(t.restored) == 0 {
		return 0, false
	}
	return t.restored.EndOf(o)
}

func (t *Tracker) skipRestored() {
	if len(t.restored) == 0 {
		return
	}
	if end, ok := t.restored.EndOf(t.position); ok {
		t.position = end
		t.epochs.note(end-1, t.restoredEpoch)
	}
	t.restored = t.restored.From(t.position)
}

// Emitted notes that a record at offset o was handed out.
func (t *Tracker) Emitted(o int64) { t.emitted = max(t.emitted, o+1) }
