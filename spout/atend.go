package spout

// An end is what [Config].StopAtEnd waits for in one partition.
type end struct {
	wanted bool
	offset int64 // where the log ended at the start

	// Looks for a record at position that found none, one after the other. The
	// log may end in offsets of which nothing is left: compaction took them.
	position int64
	misses   int
}

// endMisses is how many looks in a row have to find nothing.
const endMisses = 2

// reached reports whether nothing before e is left to be taken, and all that was
// taken is done. e isn't wanted any more then. Where that isn't so for lack of
// acks, or because it has to be looked up, the owner is woken in time. Owner only,
// with an empty queue.
func (m *partitionManager) reached(e *end) bool {
	m.starved.Store(true) // before settled sweeps: acks that it misses wake the owner
	position, pending := m.settled()
	if pending > 0 {
		return false
	}
	if position < e.offset && !m.nothingAt(position, e) {
		return false
	}
	e.wanted = false
	return true
}

// nothingAt looks for a record at or above position, in a request for nothing
// else, and reports whether there is none.
func (m *partitionManager) nothingAt(position int64, e *end) bool {
	if e.position != position {
		e.position, e.misses = position, 0
	}
	for e.misses < endMisses {
		ans, ready := m.source.Again(position)
		switch {
		case !ready:
			return false
		case ans.Look == nil:
			e.misses = 0 // a record, which Take will find; or an error, likewise
			return false
		}
		m.look(ans.Look)
		if m.dirty || ans.Look.OutOfRange {
			m.wake()
			return false
		}
		e.misses++
	}
	return true
}
