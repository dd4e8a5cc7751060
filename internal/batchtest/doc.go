// Package batchtest makes the bytes of Kafka's record batches for tests: right
// ones, and ones that are wrong in exactly one place.
//
// A [Batch] is a specification; [Batch.Bytes] encodes it in format 2 (magic 2).
// Whatever a field doesn't override is computed, so that
//
//	batchtest.Of(40, "a", "b").Bytes()
//
// is a batch that a broker could send, and
//
//	b := batchtest.Of(40, "a", "b")
//	b.Count = new(int32(-1))
//	b.Bytes()
//
// the same one with a record count of -1 and a checksum that fits. [Message]
// does the same for the formats 0 and 1.
//
// The package shares no code with the decoder that it tests.
package batchtest
