package spout

import "time"

// expire fails the deliveries that have been out for the timeout at now, each as
// of the instant at which it was. Rule E5. Owner only.
func (m *partitionManager) expire(now time.Time) {
	if m.opts.timeout == 0 {
		return
	}
	type delivery struct {
		t  *Tuple
		at time.Time
	}
	var due []delivery
	m.mu.Lock()
	for _, b := range m.blocks {
		for ; b.expired < len(b.times) && now.Sub(b.times[b.expired]) >= m.opts.timeout; b.expired++ {
			due = append(due, delivery{&b.tuples[b.expired], b.times[b.expired]})
		}
	}
	m.unlock()
	for _, d := range due {
		m.failNow(d.t, ErrTimeout, d.at.Add(m.opts.timeout))
	}
}

// expiry returns when the next delivery times out, and false if none will. Owner
// only.
func (m *partitionManager) expiry() (time.Time, bool) {
	if m.opts.timeout == 0 {
		return time.Time{}, false
	}
	m.mu.Lock()
	defer m.unlock()
	for _, b := range m.blocks {
		for b.expired < len(b.times) && b.tuples[b.expired].state.Load() != inFlight {
			b.expired++
		}
		if b.expired < len(b.times) {
			return b.times[b.expired].Add(m.opts.timeout), true // later blocks were emitted later
		}
	}
	return time.Time{}, false
}

// retryDue returns when the next retry is due: the zero time if one is, and false
// if nothing has failed.
func (m *partitionManager) retryDue() (time.Time, bool) {
	m.mu.Lock()
	defer m.unlock()
	return m.tracker.NextDue()
}
