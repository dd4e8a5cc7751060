package spout

import (
	"context"
	"fmt"
	"math"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// An opening is what open decides: a pure function of what is stored, of the log,
// and of the settings. Rules O1 to O7.
type opening struct {
	position int64
	acked    offsets.Ranges // restored, at or above the position
	leader   int32          // leader epoch of the record before position
	highest  int32          // leader epoch of the highest restored ack
	lost     int64
	dropped  int64
	cause    Cause       // of dropped
	cut      *Truncation // told by the leader epochs
	changed  bool        // position or acks aren't what is stored
	adopted  bool        // something was stored, and counts
}

// decide applies the rules of open.
func decide(o *managerOptions, l fetch.Look, s offsets.Stored) (opening, error) {
	start := min(max(o.startOffset, l.Start), l.End)
	fresh := opening{position: start, leader: -1, highest: -1, changed: true}
	c := s.Checkpoint
	switch {
	case s.Err != nil:
		return opening{}, s.Err // O7
	case s.Version == offsets.NoVersion:
		return fresh, nil // O1
	case o.ignoreStored && c.Instance != o.instance:
		return fresh, nil // O2
	}
	d := opening{position: c.Offset, acked: c.Acked, leader: c.LeaderEpoch, highest: c.AckedEpoch, adopted: true}
	if err := d.intoLog(o, l, c); err != nil {
		return opening{}, err
	}
	d.skipAcked()
	if behind := o.policy.MaxBehind; behind >= 0 && start-d.position > behind { // O6
		d.cause = DroppedBehind
		d.dropped += d.passTo(start)
		d.skipAcked()
	}
	d.changed = d.changed || d.position != c.Offset
	return d, nil
}

// intoLog moves a stored position into the log as it is now. Rules O3 to O5.
func (d *opening) intoLog(o *managerOptions, l fetch.Look, c offsets.Checkpoint) error {
	switch {
	case !c.TopicID.IsZero() && !l.TopicID.IsZero() && c.TopicID != l.TopicID: // O4
		*d = opening{position: l.Start, leader: -1, highest: -1, changed: true, adopted: true}
		return nil
	case o.onOutOfRange == StopOutOfRange && (c.Offset < l.Start || c.Offset > l.End):
		return fmt.Errorf("%w: %s: %d is stored, the log is [%d,%d)", ErrOutOfRange, o.partition, c.Offset, l.Start, l.End)
	}
	end := l.End
	if l.Cut >= 0 { // O5: the epochs tell where our history ends
		end = min(end, l.Cut)
		d.cut = &Truncation{Partition: o.partition, End: end}
		if d.position > end {
			d.cut.Undone = d.position - end
			d.position, d.leader = end, -1
		}
		d.cut.Undone += d.acked.Count(end, math.MaxInt64)
	}
	if n := len(d.acked); n > 0 && d.acked[n-1].To > end { // O3
		d.acked, d.changed, d.highest = d.acked.Below(end), true, -1
	}
	switch {
	case d.position < l.Start: // O5
		d.lost = d.passTo(l.Start)
	case d.position > l.End: // O5, the history is unknown
		d.acked, d.leader, d.highest = nil, -1, -1
		d.position = l.Start
		if o.onOutOfRange == ResetLatest {
			d.position = l.End
			d.dropped, d.cause = l.End-l.Start, DroppedOutOfRange
		}
	}
	return nil
}

// skipAcked moves the position past restored acks that begin there. The leader
// epoch is known of the last of them only.
func (d *opening) skipAcked() {
	for len(d.acked) > 0 && d.acked[0].From <= d.position {
		d.position = max(d.position, d.acked[0].To)
		d.acked = d.acked[1:]
		d.changed, d.leader = true, -1
		if len(d.acked) == 0 {
			d.leader = d.highest
		}
	}
}

// passTo moves the position up, and returns how many offsets it passes that
// weren't acked.
func (d *opening) passTo(position int64) int64 {
	passed := position - d.position - d.acked.Count(d.position, position)
	d.acked = d.acked.From(position)
	d.position, d.leader = position, -1
	return passed
}

// openManager makes the manager of one partition from what is stored and what the
// log is, and stores at once what that changes. wake tells the owner that next has
// something to do.
func openManager(ctx context.Context, o managerOptions, src source, st Store, l fetch.Look, s offsets.Stored, wake func()) (*partitionManager, error) {
	d, err := decide(&o, l, s)
	if err != nil {
		return nil, err
	}
	m := &partitionManager{
		opts: o, source: src, store: st, wake: wake,
		writing: make(chan struct{}, 1),
		tracker: offsets.NewTracker(o.policy, d.position, l.Start),
		journal: offsets.NewJournal(s),
		topicID: l.TopicID,
		latest:  map[int64]*Tuple{},
		dirty:   d.changed,
	}
	if m.topicID.IsZero() && d.adopted {
		m.topicID = s.Checkpoint.TopicID
	}
	m.tracker.Restore(d.acked, d.leader, d.highest)
	m.tracker.CountLost(d.lost)
	m.tracker.CountDropped(d.dropped)
	if err := m.limitSize(s.Checkpoint); err != nil {
		return nil, err
	}
	if err := m.saveNow(ctx); err != nil {
		return nil, err
	}
	m.opts.events.opened(Opening{Partition: o.partition, Position: d.position, Stored: d.adopted})
	if d.cut != nil {
		m.opts.events.truncated(*d.cut)
	}
	if d.lost > 0 {
		m.opts.events.lost(Loss{o.partition, d.lost, LostRetention})
	}
	if d.dropped > 0 {
		m.opts.events.dropped(Loss{o.partition, d.dropped, d.cause})
	}
	return m, nil
}

// limitSize finds what the store leaves for acked ranges, beside the names and
// the unknown keys of what is stored.
func (m *partitionManager) limitSize(stored offsets.Checkpoint) error {
	c := m.names()
	c.TopicID, c.Extra = m.topicID, stored.Extra
	m.sizeLimit = int64(m.store.MaxBytes()) - c.BaseSize()
	if m.sizeLimit < minAckedBytes {
		return fmt.Errorf("spout: %s: a checkpoint with the stored unknown keys leaves %d bytes of the store's %d for offsets, need %d: delete some of those keys",
			m.opts.partition, m.sizeLimit, m.store.MaxBytes(), minAckedBytes)
	}
	return nil
}

// minAckedBytes is what a checkpoint has to have left for acked ranges at least.
const minAckedBytes = 1 << 10
