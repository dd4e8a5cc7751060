package spout

// abandonQueue forgets what waits to be emitted. It stays pending, so it comes
// again. Owner only; nothing is emitted after it.
func (m *partitionManager) abandonQueue() {
	m.mu.Lock()
	defer m.unlock()
	for t := range m.waiting() {
		t.blk.settle(t, queued, stale)
	}
	m.queue, m.at = nil, 0
}

// outstanding returns how many records are with the user, after abandonQueue.
func (m *partitionManager) outstanding() (n int) {
	m.mu.Lock()
	defer m.unlock()
	m.sweep()
	for b := range m.live.all() {
		n += b.open
	}
	return n
}

// settled returns the position, and how many offsets below it aren't done.
func (m *partitionManager) settled() (position int64, pending int) {
	m.mu.Lock()
	defer m.unlock()
	m.sweep()
	return m.tracker.Position(), m.tracker.Pending()
}
