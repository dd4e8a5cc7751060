package spout

import (
	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// marks returns what is stored of each partition's history: the leader epochs of
// the record before the offset and of the highest acked one, as far as they were
// known.
func marks(stored []offsets.Stored) [][]fetch.Mark {
	out := make([][]fetch.Mark, len(stored))
	for i, s := range stored {
		if s.Err != nil || s.Version == offsets.NoVersion {
			continue
		}
		c := s.Checkpoint
		if c.LeaderEpoch >= 0 && c.Offset > 0 {
			out[i] = append(out[i], fetch.Mark{Offset: c.Offset, Epoch: c.LeaderEpoch})
		}
		if n := len(c.Acked); n > 0 && c.AckedEpoch >= 0 {
			out[i] = append(out[i], fetch.Mark{Offset: c.Acked[n-1].To, Epoch: c.AckedEpoch})
		}
	}
	return out
}

// mark returns what is known of the history at the position of a manager that was
// just opened.
func (m *partitionManager) mark() fetch.Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	epoch, _ := m.tracker.Epochs(nil)
	return fetch.Mark{Offset: m.tracker.Position(), Epoch: epoch}
}
