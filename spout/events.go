package spout

import (
	"time"

	"github.com/kspout/kspout/offsets"
)

// A Cause says why a record was passed over.
type Cause string

// Why records are dropped: a setting says so.
const (
	DroppedAttempts    Cause = "attempts"     // MaxAttempts deliveries failed
	DroppedBehind      Cause = "behind"       // MaxOffsetBehind
	DroppedUndecodable Cause = "undecodable"  // OnUndecodable: SkipUndecodable
	DroppedOutOfRange  Cause = "out-of-range" // OnOutOfRange: ResetLatest
)

// Why records are lost: the broker no longer has them.
const (
	LostRetention Cause = "retention" // below the log start
	LostTruncated Cause = "truncated" // the log was cut
	LostRecreated Cause = "recreated" // the topic was deleted and made again
	LostDeleted   Cause = "deleted"   // the topic was deleted
	LostCompacted Cause = "compacted" // failed, and compacted away before its retry
)

// A Loss counts records that were passed over.
type Loss struct {
	Partition offsets.Partition
	Records   int64
	Cause     Cause
}

// A Failure is one failed delivery, or a record that can't be decoded.
type Failure struct {
	Partition offsets.Partition
	Offset    int64
	Attempt   int
	Err       error // the user's, ErrTimeout, a PanicError, or a scheme's
	Retrying  bool  // it will come again
}

// A Truncation is a log that was cut under a partition: while it ran, or, where the
// stored leader epochs tell it, before it was opened.
type Truncation struct {
	Partition offsets.Partition
	End       int64 // where the log ends, and the partition goes on
	Undone    int64 // offsets from End on that were done, and aren't any more
}

// A Recreation is a topic that was deleted and made again.
type Recreation struct {
	Partition offsets.Partition
	Old, New  offsets.TopicID
}

// An Opening is a partition that starts.
type Opening struct {
	Partition offsets.Partition
	Position  int64 // the next new offset to take
	Stored    bool  // it continues from what was stored
}

// A Committing is one round of commits.
type Committing struct {
	Partitions int // written
	Failed     int // of them
	Took       time.Duration
}

// Events are hooks that are called as things happen. Each may be nil. They are
// called by whichever goroutine caused the event, so several may run at once,
// and must not block; they may call the methods of the Spout.
type Events struct {
	Opened    func(Opening)
	Closed    func(offsets.Partition)        // stopped, as told
	Stopped   func(offsets.Partition, error) // stopped by an error; the others go on
	Failed    func(Failure)
	Dropped   func(Loss)
	Lost      func(Loss)
	Truncated func(Truncation)
	Recreated func(Recreation)
	Committed func(Committing)

	// TooManyFailures: more than MaxOffsetBehind fails and not one ack.
	TooManyFailures func(offsets.Partition)
}

func (e *Events) opened(o Opening) {
	if e.Opened != nil {
		e.Opened(o)
	}
}

func (e *Events) closed(p offsets.Partition) {
	if e.Closed != nil {
		e.Closed(p)
	}
}

func (e *Events) stopped(p offsets.Partition, err error) {
	if e.Stopped != nil {
		e.Stopped(p, err)
	}
}

func (e *Events) failed(f Failure) {
	if e.Failed != nil {
		e.Failed(f)
	}
}

func (e *Events) dropped(l Loss) {
	if e.Dropped != nil {
		e.Dropped(l)
	}
}

func (e *Events) lost(l Loss) {
	if e.Lost != nil {
		e.Lost(l)
	}
}

func (e *Events) truncated(t Truncation) {
	if e.Truncated != nil {
		e.Truncated(t)
	}
}

func (e *Events) recreated(r Recreation) {
	if e.Recreated != nil {
		e.Recreated(r)
	}
}

func (e *Events) committed(c Committing) {
	if e.Committed != nil {
		e.Committed(c)
	}
}

func (e *Events) tooManyFailures(p offsets.Partition) {
	if e.TooManyFailures != nil {
		e.TooManyFailures(p)
	}
}
