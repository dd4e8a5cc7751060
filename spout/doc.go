// Package spout consumes Kafka record by record: each is a tuple that the user
// acks or fails, in any order and from any goroutine.
//
//	s, err := spout.New(spout.Config{
//		Brokers:   []string{"localhost:9092"},
//		ZooKeeper: []string{"localhost:2181"},
//		ID:        "billing",
//		Topics:    []string{"orders"},
//	}, spout.Workers(8, spout.Unordered, process))
//	if err == nil {
//		err = s.Run(ctx)
//	}
//
// # Promises
//
// Delivery is at least once.
//
//  1. Emit comes after registering, commit comes after ack, and a stored offset
//     is never above the lowest one that isn't done.
//  2. A record is passed over only if the broker no longer has it or a setting
//     says so (undecodable ones, by default); each cause is counted, as far as
//     the broker can still tell.
//  3. At most one worker can move a partition's stored offset: a write names the
//     version that it replaces. One that was overtaken stops with [ErrFenced].
//
// # The offsets of a partition
//
//	offset   40    41    42     43     44    45
//	state    done  out   acked  failed acked queued
//	               ^ stored: 41, and [42,43) [44,45) above it
//
// What is stored is the lowest offset that isn't done, and what is done above it:
// a restart emits 41, 43 and 45. A failed record is let go, and fetched again
// when its retry is due.
//
// # Concurrency
//
// A [Spout] has one goroutine for each partition, which calls the [Handler]; a
// [Tuple]'s Ack and Fail may be called from anywhere, at any time, also from
// hooks. No lock of the package is held while user code runs.
package spout
