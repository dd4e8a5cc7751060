package spout

import "time"

// armExpiry sets the timer that fails deliveries which are out too long, unless
// it is set. The caller holds mu.
func (m *partitionManager) armExpiry(at time.Time) {
	if m.expiry == nil && !m.released {
		m.expiring.Add(1)
		m.expiry = time.AfterFunc(time.Until(at), m.expire)
	}
}

// stopExpiry stops the timer, and waits for what it has begun.
func (m *partitionManager) stopExpiry() {
	m.mu.Lock()
	m.released = true
	if m.expiry != nil && m.expiry.Stop() {
		m.expiring.Done()
	}
	m.mu.Unlock()
	m.expiring.Wait()
}

// expire fails the deliveries that have been out for the timeout, each as of the
// instant at which it was. Rule E5. It runs on a goroutine of the timer, so that
// a user who blocks the partition's goroutine is timed out as well.
func (m *partitionManager) expire() {
	defer m.expiring.Done()
	now := time.Now()
	m.mu.Lock()
	m.expiry = nil
	for b := range m.live.all() {
		for ; b.expired < len(b.times); b.expired++ {
			t, at := &b.tuples[b.expired], b.times[b.expired].Add(m.opts.timeout)
			if at.After(now) {
				if t.state.Load() != inFlight {
					continue
				}
				m.armExpiry(at) // later ones were emitted later
				m.unlock()
				m.wake()
				return
			}
			m.failRecord(t, ErrTimeout, at)
		}
	}
	m.unlock()
	m.wake()
}

// retryDue returns when the next retry is due: the zero time if one is, and false
// if nothing has failed.
func (m *partitionManager) retryDue() (time.Time, bool) {
	m.mu.Lock()
	defer m.unlock()
	return m.tracker.NextDue()
}
