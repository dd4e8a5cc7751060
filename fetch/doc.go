// Package fetch turns topics into ordered batches per partition.
//
// A [Client] keeps one connection to each broker that it reads from and one
// request under way on it, for all partitions that have room for more. Each
// partition is a [Log], whose only consumer takes what there is:
//
//	broker 1 ──one fetch at a time──┬─> Log orders/0 ── Take(from) ─> Cursor ─> Batch
//	                                └─> Log orders/3 ── Take(from) ─> Cursor ─> Batch
//	broker 2 ──one fetch at a time────> Log orders/1 ── Take(from) ─> Look
//
// Nothing is passed over in silence. A [Cursor] proves which offsets of its batch
// hold a record and which don't: compaction, transaction markers and aborted
// transactions leave gaps, told by the batch's own header. An answer without a
// batch proves nothing. Where the broker says that an offset is out of range, or
// that the topic is another one, a [Look] at the leader's log says what is there
// instead, and the consumer decides. What a partition can't get past is a
// [PartitionError], and no other partition's matter. All that passes by itself
// (leaders that move, brokers that are away, throttling) is retried inside, with
// delays of 50 ms up to 2 s.
//
// # Offsets
//
// Every offset is that of a record, except ends and positions, which are one past
// the last: [Look].End, [Cursor.End], the argument of [Log.Take].
//
// # Memory
//
// A batch owns its memory. A key or value that is kept pins its batch and nothing
// else. What is fetched ahead is kept as it came, compressed, within the bounds of
// [Config]; it is decompressed when it's taken, in the goroutine that takes it.
//
// # Concurrency
//
// [Client.Run] owns all goroutines and connections, and ends them. A Client's
// methods may be called from any goroutine; a Log's Take and Again from one at a
// time; a Cursor is its holder's; a Batch may be shared.
package fetch
