package offsets

import "encoding/json"

// A Checkpoint is what is stored for one partition: the next offset to process,
// and what is already done above it.
type Checkpoint struct {
	Partition Partition

	// ID is the consumer's id (topology.name in the JSON), Instance the id of
	// its deployment (topology.id). A restart keeps Instance.
	ID, Instance string

	// Offset is the next offset to process: the lowest one that isn't done.
	Offset int64

	// Acked holds what is done above Offset, ascending and disjoint, none empty
	// or adjacent to another; the first one starts above Offset.
	Acked []Range

	// Broker is the partition's leader at the time of the write.
	Broker Broker

	// TopicID tells a recreated topic apart. Zero: not known, and not written.
	TopicID TopicID

	// LeaderEpoch is the leader epoch of the record before Offset, AckedEpoch
	// that of the highest acked one (KIP-320). -1: not known, and not written.
	LeaderEpoch, AckedEpoch int32

	// Owner is who holds the partition, in a group only.
	Owner *Owner

	// Extra holds the keys of the JSON document that this package doesn't know.
	// They are written back as they were read.
	Extra map[string]json.RawMessage
}

// A Broker is the address of a Kafka broker.
type Broker struct {
	Host string `json:"host"`
	Port int32  `json:"port"`
}

// An Owner is the member of a group that may move the offset.
type Owner struct {
	Member     string `json:"member"`
	Epoch      int64  `json:"epoch"`
	Generation int64  `json:"generation"`
}
