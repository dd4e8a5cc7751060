package offsets

import (
	"maps"
	"slices"
	"time"
)

// A trackerModel is the obvious Tracker: maps of offsets, walked in full.
type trackerModel struct {
	policy                   Policy
	position, start, emitted int64
	pending                  map[int64]bool
	failed                   map[int64]time.Time // when each is due
	attempts                 map[int64]int       // of what failed at least once
	restored                 map[int64]bool
	restoredEpoch            int32
	noted                    []epochStart // every note, in order
	acks, fails              int64
	counts                   Counts

	// vague: a cut below the committed offset may leave no epoch known there.
	vague bool
}

func newTrackerModel(p Policy, position, start int64, acked []Range, leader, highest int32) *trackerModel {
	m := &trackerModel{policy: p, position: position, start: start, restoredEpoch: highest}
	m.clear()
	for _, r := range acked {
		for o := max(r.From, position); o < r.To; o++ {
			m.restored[o] = true
		}
	}
	m.note(m.position-1, leader)
	m.skip()
	return m
}

func (m *trackerModel) clear() {
	m.pending, m.failed, m.attempts = map[int64]bool{}, map[int64]time.Time{}, map[int64]int{}
	m.restored, m.noted = map[int64]bool{}, nil
}

func (m *trackerModel) note(o int64, e int32) {
	m.noted = append(m.noted, epochStart{o, e})
}

func (m *trackerModel) epochAt(o int64) int32 {
	e := int32(-1)
	for _, n := range m.noted {
		if n.from <= o {
			e = n.epoch
		}
	}
	return e
}

func (m *trackerModel) committed() int64 {
	c := m.position
	for o := range m.pending {
		c = min(c, o)
	}
	return c
}

func (m *trackerModel) acked() []Range {
	var done []int64
	for o := m.committed(); o < m.position; o++ {
		if !m.pending[o] {
			done = append(done, o)
		}
	}
	return asRanges(append(done, slices.Sorted(maps.Keys(m.restored))...))
}

func asRanges(offs []int64) (rs []Range) {
	for _, o := range offs {
		if n := len(rs); n > 0 && rs[n-1].To == o {
			rs[n-1].To++
		} else {
			rs = append(rs, Range{o, o + 1})
		}
	}
	return rs
}

// skip moves position past restored acks.
func (m *trackerModel) skip() {
	moved := false
	for m.restored[m.position] {
		delete(m.restored, m.position)
		m.position++
		moved = true
	}
	if moved {
		m.note(m.position-1, m.restoredEpoch)
	}
}

func (m *trackerModel) take(from, to int64, epoch int32) {
	m.note(m.position, epoch)
	for o := from; o < to; o++ {
		m.pending[o] = true
	}
	m.moveTo(to)
}

func (m *trackerModel) advance(to int64, epoch int32) {
	if to > m.position {
		m.note(m.position, epoch)
		m.moveTo(to)
	}
}

func (m *trackerModel) moveTo(to int64) {
	for ; m.position < to; m.position++ {
		delete(m.restored, m.position)
	}
	m.skip()
}

func (m *trackerModel) finish(o int64) bool {
	if !m.pending[o] {
		return false
	}
	delete(m.pending, o)
	delete(m.failed, o)
	delete(m.attempts, o)
	m.counts.Done++
	return true
}

func (m *trackerModel) ack(o int64) bool {
	ok := m.finish(o)
	if ok {
		m.acks++
	}
	return ok
}

func (m *trackerModel) drop(o int64) bool {
	ok := m.finish(o)
	if ok {
		m.counts.Dropped++
	}
	return ok
}

func (m *trackerModel) lose(o int64) bool {
	ok := m.finish(o)
	if ok {
		m.counts.Lost++
	}
	return ok
}

func (m *trackerModel) fail(o int64, now time.Time, decodable bool) Outcome {
	_, waits := m.failed[o]
	if !m.pending[o] || waits {
		return Ignored
	}
	if decodable {
		m.fails++
	}
	n := max(1, m.attempts[o])
	switch p := m.policy; {
	case o < m.start:
		m.lose(o)
		return LostBelowStart
	case decodable && p.MaxBehind >= 0 && o < m.emitted-p.MaxBehind:
		m.drop(o)
		return DroppedBehind
	case p.MaxAttempts > 0 && n >= p.MaxAttempts:
		m.drop(o)
		return DroppedAttempts
	}
	delay := m.policy.Retry.Initial
	for range n - 1 {
		delay = time.Duration(min(float64(delay)*m.policy.Retry.Multiplier, float64(m.policy.Retry.Max)))
	}
	m.failed[o] = now.Add(min(delay, m.policy.Retry.Max))
	m.attempts[o] = n
	return Retrying
}

func (m *trackerModel) due(from int64, now time.Time) (int64, bool) {
	for _, o := range slices.Sorted(maps.Keys(m.failed)) {
		if o >= from && !m.failed[o].After(now) {
			return o, true
		}
	}
	return 0, false
}

func (m *trackerModel) nextDue(now time.Time) (time.Time, bool) {
	var next time.Time
	for _, at := range m.failed {
		if !at.After(now) {
			return time.Time{}, true
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next, !next.IsZero()
}

func (m *trackerModel) logStart(s int64) (lost int64) {
	m.start = max(m.start, s)
	before := m.counts.Lost
	for _, o := range slices.Collect(maps.Keys(m.failed)) {
		if o < m.start {
			m.lose(o)
		}
	}
	for o := m.position; o < m.start; o++ {
		if !m.restored[o] {
			m.counts.Lost++
			m.counts.Done++
		}
	}
	m.advance(m.start, -1)
	return m.counts.Lost - before
}

func (m *trackerModel) truncate(end int64) (lost, undone int64) {
	m.vague = m.vague || end < m.position && end <= m.committed()
	for o := end; o < m.position; o++ {
		if m.lose(o) {
			lost++
		} else {
			undone++
		}
	}
	if end < m.position {
		m.position, m.start, m.emitted = end, min(m.start, end), min(m.emitted, end)
		clear(m.restored)
		m.noted = slices.DeleteFunc(m.noted, func(n epochStart) bool { return n.from >= end })
	}
	return lost, undone
}

func (m *trackerModel) recreate(start int64) int64 {
	lost := int64(len(m.pending))
	m.counts.Lost += lost
	m.counts.Done += lost
	m.clear()
	m.restoredEpoch, m.vague = -1, false
	m.position, m.start, m.emitted = start, start, 0
	return lost
}

func (m *trackerModel) forgetRestored(end int64) {
	for o := range m.restored {
		if o >= end {
			delete(m.restored, o)
			m.restoredEpoch = -1
		}
	}
}
