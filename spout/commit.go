package spout

import (
	"context"
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// beginCommit returns the write that stores what is done by now. It is false if
// nothing differs from what is stored, or if a write of this partition is under
// way. After true, endCommit must be called with its outcome.
func (m *partitionManager) beginCommit() (offsets.Write, bool) {
	select {
	case m.writing <- struct{}{}:
	default:
		return offsets.Write{}, false
	}
	return m.snapshot()
}

// endCommit takes the outcome of a write.
func (m *partitionManager) endCommit(w offsets.Write, err error) {
	m.mu.Lock()
	m.journal.End(w, err)
	m.mu.Unlock()
	<-m.writing
}

// awaitCommit is beginCommit, but waits for a write that is under way. The error
// says that ctx ended before that one did.
func (m *partitionManager) awaitCommit(ctx context.Context) (offsets.Write, bool, error) {
	select {
	case m.writing <- struct{}{}: // first, also when ctx has ended: there may be nothing to write
	default:
		select {
		case m.writing <- struct{}{}:
		case <-ctx.Done():
			return offsets.Write{}, false, &CommitError{m.opts.partition, fmt.Errorf("the write before it didn't end: %w", context.Cause(ctx))}
		}
	}
	w, ok := m.snapshot()
	return w, ok, nil
}

// save stores what is done by now, if that differs from what is stored, and waits
// for the outcome. It is a barrier: it waits for a write that is under way, and is
// never left out because of one.
func (m *partitionManager) save(ctx context.Context) error {
	w, ok, err := m.awaitCommit(ctx)
	if !ok {
		return err
	}
	err = saveAll(ctx, m.store, []offsets.Write{w})[0]
	m.endCommit(w, err)
	if err != nil {
		return &CommitError{Partition: m.opts.partition, Err: err}
	}
	return nil
}

// snapshot returns one consistent picture of what is done: acks that arrive after
// the sweep belong to the next one. The caller has put the token into writing; it
// is taken back if there is nothing to write.
func (m *partitionManager) snapshot() (w offsets.Write, ok bool) {
	defer func() {
		if !ok {
			<-m.writing
		}
	}()
	base := m.names()
	m.mu.Lock()
	defer m.unlock()
	m.live.sweepAll(m.tracker)
	base.TopicID = m.topicID
	return m.journal.Begin(m.tracker, base)
}

// names returns a checkpoint that says whose it is, but no offsets.
func (m *partitionManager) names() offsets.Checkpoint {
	broker, _ := m.source.Leader()
	return offsets.Checkpoint{
		Partition: m.opts.partition, ID: m.opts.id, Instance: m.opts.instance,
		Broker: broker, LeaderEpoch: -1, AckedEpoch: -1,
	}
}

// A sizeLeft says what more may be taken so that a checkpoint still fits into the
// store, whatever is acked then. Rule C5.
type sizeLeft struct {
	offsets.AckedBound
	limit int64
	idle  bool // nothing is pending
}

// fits reports whether n more records may be taken, and the position moved. With
// nothing pending that is always so for one: what is stored then is what was
// restored, less the beginning, and waiting would never make it smaller.
func (s sizeLeft) fits(n, position int64) bool {
	return s.idle && n <= 1 || s.bounded(n, position)
}

func (s sizeLeft) bounded(n, position int64) bool { return s.Size(n, position) <= s.limit }

func (m *partitionManager) sizeLeft() sizeLeft {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sizeLeft{m.tracker.AckedBound(), m.sizeLimit, m.tracker.Pending() == 0}
}
