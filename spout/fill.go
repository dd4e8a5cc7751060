package spout

import (
	"time"

	"github.com/kspout/kspout/fetch"
)

// fill queues what is to be emitted next: failed records whose retry is due, then
// new ones. It takes what the source has, and never waits. To be called with an
// empty queue. Rules F1 to F3. Owner only.
func (m *partitionManager) fill(now time.Time) error {
	m.queue, m.at = m.queue[:0], 0
	if err := m.fillDue(now); err != nil || m.dirty {
		return err
	}
	return m.fillNew()
}

// fillDue queues the failed records that are due, lowest first. One that an
// answer proves absent is lost; where an answer proves nothing it is tried again
// later. Rule F1.
func (m *partitionManager) fillDue(now time.Time) error {
	m.asking = false
	for from := int64(0); !m.dirty; {
		m.mu.Lock()
		o, ok := m.tracker.Due(from, now)
		m.mu.Unlock()
		if !ok {
			return nil
		}
		ans, ready := m.source.Again(o)
		if !ready {
			m.asking = true
			return nil
		}
		if ans.Err != nil {
			return ans.Err
		}
		from = o + 1
		if ans.Look != nil {
			m.look(ans.Look)
			if !ans.Look.OutOfRange {
				return nil // nothing there, nor above it; the source asks again after a while
			}
		}
		if ans.Records != nil {
			from = max(from, ans.Records.End())
			if err := m.requeue(ans.Records, o); err != nil {
				return err
			}
			m.heardEnd(ans.End)
			m.heardStart(ans.Start)
		}
	}
	return nil
}

// requeue queues the due records among those that c holds, and loses the due
// offsets for which c proves that there is none.
func (m *partitionManager) requeue(c *fetch.Cursor, from int64) error {
	type found struct {
		offset int64
		pos    int32
	}
	var here []found
	for o, pos, ok := c.Next(); ok; o, pos, ok = c.Next() {
		here = append(here, found{o, pos})
	}
	if err := c.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.unlock()
	base, due := from, 0 // from the first record: what is asked for may lie far below
	for i, r := range here {
		if i == 0 {
			base = r.offset
		}
		if m.tracker.IsDue(r.offset) {
			due++
		}
	}
	b := newBlock(m, c.Batch(), base, due)
	lost := int64(0)
	lose := func(below int64) {
		for o, ok := m.tracker.NextReady(from); ok && o < below; o, ok = m.tracker.NextReady(o + 1) {
			m.tracker.Lose(o)
			delete(m.latest, o)
			lost++
		}
	}
	for _, r := range here {
		lose(r.offset)
		from = r.offset + 1
		if m.tracker.IsDue(r.offset) {
			t := b.add(r.offset, r.pos)
			t.ext = &extension{attempt: m.tracker.Requeue(r.offset)}
			m.latest[r.offset] = t
		}
	}
	lose(c.End())
	m.noteLost(lost, LostCompacted)
	m.push(b)
	return nil
}

// push makes a block live and queues its tuples. The caller holds mu.
func (m *partitionManager) push(b *block) {
	if b.open = len(b.tuples); b.open > 0 {
		m.live.add(b)
		m.queue = append(m.queue, b)
	}
}

// fillNew queues new records from the position on, as many as there is room for.
// Rule F2.
func (m *partitionManager) fillNew() error {
	position, room := m.room()
	if room <= 0 {
		return nil
	}
	ans, ready := m.source.Take(position)
	if !ready {
		return nil
	}
	if ans.Look != nil {
		m.look(ans.Look)
	}
	m.heardEnd(ans.End) // first: take passes over what is restored
	err := ans.Err
	if ans.Records != nil {
		err = m.take(ans.Records, room)
	}
	m.heardStart(ans.Start) // last: it loses what was taken and is gone
	return err
}

// room returns the position and how many new records may be taken there.
func (m *partitionManager) room() (position int64, n int) {
	// Stored before the sweep: an ack that the sweep doesn't see wakes the owner.
	m.starved.Store(true)
	m.mu.Lock()
	defer m.unlock()
	m.sweep()
	n = m.opts.fetchSize
	if m.opts.maxPending > 0 {
		n = min(n, m.opts.maxPending-m.tracker.Pending())
	}
	if m.opts.maxBytes > 0 && m.live.first != nil && m.live.bytes >= m.opts.maxBytes {
		n = 0
	}
	if n > 0 {
		m.starved.Store(false)
	}
	return m.tracker.Position(), n
}

// take queues up to room records of c, and moves the position as far as c proves.
func (m *partitionManager) take(c *fetch.Cursor, room int) error {
	size := m.sizeLeft()
	tight := !size.bounded(int64(room), c.End())
	if tight {
		m.starved.Store(true) // before the sweep, as in room
		m.mu.Lock()
		m.sweep()
		m.unlock()
		size = m.sizeLeft()
	}

	first, ok := c.Peek()
	if !ok && c.Err() != nil {
		return c.Err()
	}
	b := newBlock(m, c.Batch(), first, min(room, c.Left()))
	b.plain = m.opts.policy.MaxBehind < 0
	to := c.End()
	for ok {
		if end, restored := m.tracker.Restored(first); restored { // only the owner changes what is restored
			for ok && first < end {
				c.Next()
				first, ok = c.Peek()
			}
			continue
		}
		if len(b.tuples) == room || tight && !size.fits(int64(len(b.tuples)+1), first+1) {
			to = first
			break
		}
		o, pos, _ := c.Next()
		b.add(o, pos)
		first, ok = c.Peek()
	}
	if !ok && c.Err() != nil {
		to = first // the broken one is told by the next fill
	}
	m.mu.Lock()
	defer m.unlock()
	epoch := c.Batch().LeaderEpoch()
	m.register(b, epoch)
	if !tight || size.bounded(int64(len(b.tuples)), to) || size.idle && len(b.tuples) == 0 {
		m.tracker.Advance(to, epoch)
	}
	m.push(b)
	return nil
}

// register tells the tracker of b's offsets, run by run: one call for a batch
// without gaps. The caller holds mu.
func (m *partitionManager) register(b *block, epoch int32) {
	for i := 0; i < len(b.tuples); {
		j := i + 1
		for j < len(b.tuples) && b.tuples[j].delta == b.tuples[j-1].delta+1 {
			j++
		}
		m.tracker.Take(b.tuples[i].Offset(), b.tuples[j-1].Offset()+1, epoch)
		i = j
	}
}
