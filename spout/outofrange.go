package spout

import (
	"math"

	"github.com/kspout/kspout/fetch"
)

// look applies what a look at the log tells: rules R1 to R4. What has to be
// stored because of it is stored by saveNow. Owner only.
func (m *partitionManager) look(l *fetch.Look) {
	m.mu.Lock()
	defer m.unlock()
	m.live.sweepAll(m.tracker)
	if !l.TopicID.IsZero() && !m.topicID.IsZero() && l.TopicID != m.topicID {
		m.recreate(l)
		return
	}
	if m.topicID.IsZero() {
		m.topicID = l.TopicID
	}
	m.tracker.ForgetRestored(l.End) // before the position may pass over them
	if l.Cut >= 0 {
		m.cutLooks++
		m.tracker.ForgetRestored(l.Cut)
	}
	switch position := m.tracker.Position(); {
	case l.Cut >= 0 && l.Cut < position:
		m.truncate(l.Cut)
	case l.End < position && l.Start <= position:
		m.truncate(l.End)
	}
	m.logStart(l.Start)
}

// heardStart applies what an answer with records tells of the log start, if it
// does: start is -1 otherwise. Owner only.
func (m *partitionManager) heardStart(start int64) {
	m.mu.Lock()
	defer m.unlock()
	if start >= 0 && start > m.tracker.Start() {
		m.sweep()
		m.logStart(start)
	}
}

// heardEnd forgets the restored acks above the log end that an answer told, if it
// did: end is -1 otherwise. Rule O3. Owner only.
func (m *partitionManager) heardEnd(end int64) {
	m.mu.Lock()
	defer m.unlock()
	if end >= 0 {
		m.tracker.ForgetRestored(end)
	}
}

// logStart takes S. Rules R1 and R2. The caller holds mu and has swept.
func (m *partitionManager) logStart(s int64) {
	lost := m.tracker.LogStart(s)
	for t := range m.waiting() {
		if t.Offset() < s && t.blk.settle(t, queued, stale) && m.tracker.Lose(t.Offset()) {
			lost++
		}
	}
	m.forgetLatest()
	m.noteLost(lost, LostRetention)
}

// truncate takes the end of a log that was cut under us. Rule R3. The caller
// holds mu and has swept.
func (m *partitionManager) truncate(end int64) {
	lost, undone := m.tracker.Truncate(end)
	m.cut(end)
	m.noteLost(lost, LostTruncated)
	t := Truncation{Partition: m.opts.partition, End: end, Undone: undone}
	m.note(func(e *Events) { e.truncated(t) })
	m.dirty = true
}

// deleted takes the end of a topic: all that is pending is lost. Nothing is to be
// stored after it.
func (m *partitionManager) deleted() {
	m.mu.Lock()
	defer m.unlock()
	m.live.sweepAll(m.tracker)
	m.loseAll(m.tracker.Position(), LostDeleted)
}

// loseAll loses what is pending, and makes all tuples stale; the next record is
// the one at start. The caller holds mu and has swept all.
func (m *partitionManager) loseAll(start int64, cause Cause) {
	lost := m.tracker.Recreate(start)
	m.cut(math.MinInt64)
	m.queue, m.at = nil, 0
	m.noteLost(lost, cause)
}

// recreate starts anew in another topic of the same name. Rule R4. The caller
// holds mu and has swept all.
func (m *partitionManager) recreate(l *fetch.Look) {
	r := Recreation{Partition: m.opts.partition, Old: m.topicID, New: l.TopicID}
	m.loseAll(l.Start, LostRecreated)
	m.topicID = l.TopicID
	m.note(func(e *Events) { e.recreated(r) })
	m.dirty = true
}
