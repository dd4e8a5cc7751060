package fetch

import (
	"errors"
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// Conditions a caller may branch on. Match them with [errors.Is].
var (
	// ErrUnknownPartition means that the cluster has no such topic, or the topic
	// no such partition.
	ErrUnknownPartition = errors.New("unknown topic or partition")

	// ErrCorrupt means that what the broker sent isn't a record batch: its
	// checksum doesn't match, or a length in it is impossible.
	ErrCorrupt = errors.New("corrupt batch")

	// ErrTooLarge means that a batch is larger than this client reads, as it
	// came or once decompressed.
	ErrTooLarge = errors.New("batch too large")

	// ErrUnsupported means that a batch is of a format, or compressed by a
	// codec, that this client doesn't know.
	ErrUnsupported = errors.New("unsupported batch")

	// ErrClosed means that the client's Run has ended.
	ErrClosed = errors.New("fetch: client is closed")
)

// A PartitionError says that one partition can't be read past an offset. Other
// partitions aren't touched by it. Find it with [errors.AsType].
type PartitionError struct {
	Partition offsets.Partition

	// Offset is the position that can't be passed: everything below it was
	// delivered, or is proved to hold no record.
	Offset int64

	Err error
}

func (e *PartitionError) Error() string {
	return fmt.Sprintf("fetch: %s@%d: %v", e.Partition, e.Offset, e.Err)
}

func (e *PartitionError) Unwrap() error { return e.Err }
