package fetch

import (
	"cmp"
	"slices"

	"github.com/kspout/kspout/offsets"
)

// A Topic is what the cluster tells of one topic.
type Topic struct {
	Name string
	// ID is zero with brokers that have no topic ids.
	ID offsets.TopicID
	// Internal says that the topic is Kafka's own.
	Internal bool
	// Partitions in ascending order.
	Partitions []PartitionInfo
	// Err says why nothing else is known: [ErrUnknownPartition], or an error code
	// of the broker. Topics that are just being created or deleted may have one
	// for a moment.
	Err error
}

// A PartitionInfo is what the cluster tells of one partition.
type PartitionInfo struct {
	Number int32
	// Leader is the address of the leader, zero if LeaderID is -1.
	Leader offsets.Broker
	// LeaderID is -1 if there is no leader, or none with an address.
	LeaderID int32
	// LeaderEpoch is -1 if it isn't known.
	LeaderEpoch int32
}

// Partition returns what is known of the partition with this number.
func (t Topic) Partition(number int32) (PartitionInfo, bool) {
	i, ok := slices.BinarySearchFunc(t.Partitions, number, func(p PartitionInfo, n int32) int { return cmp.Compare(p.Number, n) })
	if !ok {
		return PartitionInfo{}, false
	}
	return t.Partitions[i], true
}
