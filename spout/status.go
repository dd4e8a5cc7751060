package spout

import (
	"errors"
	"slices"

	"github.com/kspout/kspout/offsets"
)

// A PartitionStatus is where one partition is.
type PartitionStatus struct {
	Partition offsets.Partition

	// Position is the next new offset to take, Committed the lowest one that
	// isn't done: what the next commit stores.
	Position, Committed int64

	// Pending counts the records that were taken and aren't done, Failed those of
	// them that wait for their retry.
	Pending, Failed int

	// Dropped, Lost and Ignored count since the partition was opened: records
	// given up by a setting, records that the broker no longer had, and acks and
	// fails that came too late.
	Dropped, Lost, Ignored int64

	// Err is why the partition stopped, nil while it is open.
	Err error
}

// Partitions returns the status of the partitions that are open, in the order of
// their names, then those that stopped by an error. After Run it is what it was
// at the end.
func (s *Spout) Partitions() []PartitionStatus {
	if last := s.last.Load(); last != nil {
		return slices.Clone(*last)
	}
	var all []PartitionStatus
	for _, p := range s.roster.partitions() {
		all = append(all, p.m.status())
	}
	for _, err := range s.roster.errors() {
		st := PartitionStatus{Err: err}
		if pe, ok := errors.AsType[*PartitionError](err); ok {
			st.Partition = pe.Partition
		}
		all = append(all, st)
	}
	return all
}

// Healthy returns nil if no partition has stopped by an error, else why they did.
func (s *Spout) Healthy() error { return errors.Join(s.roster.errors()...) }

func (m *partitionManager) status() PartitionStatus {
	m.mu.Lock()
	defer m.unlock()
	m.sweep()
	c := m.tracker.Counts()
	return PartitionStatus{
		Partition: m.opts.partition,
		Position:  m.tracker.Position(), Committed: m.tracker.Committed(),
		Pending: m.tracker.Pending(), Failed: m.tracker.Failed(),
		Dropped: c.Dropped, Lost: c.Lost, Ignored: m.ignored.Load(),
	}
}
