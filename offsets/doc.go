// Package offsets decides which offset of a partition is safe to commit.
//
// Records of one partition are taken from the log in order and are done in any
// order. A [Tracker] follows their offsets, a [Checkpoint] is what is stored of
// them: the next offset to process, and what is already done above it.
//
//	offset   40    41    42    43    44    45    46
//	state    done  pend  done  done  done  pend  not taken
//	               ^ stored offset: 41
//	               stored as acked: 42 to 44
//
// A [Set] holds offsets compactly.
//
// # Offsets
//
// An offset is that of a record, 0 to MaxInt64 - 1. Positions, and the ends of
// ranges, follow Kafka's convention: they are one past the last offset they
// speak of, and so MaxInt64 at most. A stored offset is such a position: the next
// offset to process.
//
// # Concurrency
//
// Nothing here does I/O, starts a goroutine or reads the clock. No type is safe
// for concurrent use; who owns a value serialises its calls.
package offsets
