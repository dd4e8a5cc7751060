package spout

import (
	"sync/atomic"
	"time"
)

// A Tuple is one delivery of a record, or of one of the values that a [Scheme]
// made of it. Its user calls Ack or Fail, once, from any goroutine, during the
// call of the [Handler] or at any time after it.
//
// Key, value and headers alias memory that belongs to the record's batch. They
// must not be modified. They may be kept as long as one likes, after Ack too;
// what is kept pins the whole batch (up to the topic's max.message.bytes, or
// what that inflates to), as does a kept Tuple.
//
// All methods may be called concurrently.
type Tuple struct {
	blk   *block
	ext   *extension // nil for a plain first delivery
	pos   int32      // of the record in the batch
	index int32      // in blk.tuples
	delta int32      // offset - blk.base
	state atomic.Uint32
}

// An extension is what only some tuples need.
type extension struct {
	attempt int    // deliveries of the record, this one included; 0 stands for 1
	value   any    // what the scheme made of the record
	fan     *fan   // set if the record yielded several tuples
	main    *Tuple // of a fanned tuple: the one that stands for the record
}

// A fan is the several tuples of one record.
type fan struct {
	tuples []Tuple
	left   int // not acked yet; guarded by partitionManager.mu
}

// The states of a tuple. Transitions out of queued and inFlight are made by
// compare-and-swap; all but that of a plain ack under partitionManager.mu.
const (
	queued   uint32 = iota // waits to be emitted
	inFlight               // with the user
	acked                  // acked, which the tracker hasn't been told yet
	done                   // acked or skipped, and the tracker knows
	failed                 // failed; the offset may come again, and a late ack still counts
	stale                  // dropped, lost, cancelled, or of a log that is gone
)

// Topic returns the name of the record's topic.
func (t *Tuple) Topic() string { return t.blk.m.opts.partition.Topic }

// Partition returns the number of the record's partition.
func (t *Tuple) Partition() int32 { return t.blk.m.opts.partition.Number }

// Offset returns the record's offset.
func (t *Tuple) Offset() int64 { return t.blk.base + int64(t.delta) }

// Attempt returns how often the record was delivered since its partition was
// opened, this delivery included: 1 for the first.
func (t *Tuple) Attempt() int {
	if t.ext == nil || t.ext.attempt == 0 {
		return 1
	}
	return t.ext.attempt
}

// Timestamp returns the record's timestamp, to the millisecond: that of its
// producer, or that of the broker where the topic says LogAppendTime.
func (t *Tuple) Timestamp() time.Time { return time.UnixMilli(t.blk.batch.Timestamp(t.pos)) }

// Key returns the record's key, nil if it is null.
func (t *Tuple) Key() []byte { return t.blk.batch.Key(t.pos) }

// Value returns the record's value, nil if it is null.
func (t *Tuple) Value() []byte { return t.blk.batch.Value(t.pos) }

// Headers returns the record's headers in their order, nil if it has none. The
// slice is the caller's.
func (t *Tuple) Headers() []Header { return t.blk.batch.Headers(t.pos) }

// Decoded returns what the [Scheme] made of the record: nil without one.
func (t *Tuple) Decoded() any {
	if t.ext == nil {
		return nil
	}
	return t.ext.value
}

// Ack says that the record's work is done; its offset is stored with one of the
// next commits. An ack that comes too late, after the record was given up, its
// partition closed, or another ack, is counted and ignored. An ack of a delivery
// that has failed or timed out counts if the record isn't done: its retry is
// cancelled.
func (t *Tuple) Ack() { t.blk.m.ack(t) }

// Fail says that the record's work failed: it comes again after
// [Config].Retry, or is given up after [Config].MaxAttempts. err says why, for
// [Events]; it may be nil. A fail of anything but a delivery that is out is
// counted and ignored.
func (t *Tuple) Fail(err error) { t.blk.m.fail(t, err) }

// record returns the tuple that stands for the whole record.
func (t *Tuple) record() *Tuple {
	if t.ext != nil && t.ext.main != nil {
		return t.ext.main
	}
	return t
}

// plain reports whether an ack of t concerns nothing but t itself.
func (t *Tuple) plain() bool {
	return t.blk.plain && (t.ext == nil || t.ext.main == nil)
}

// Record copies what t was decoded from into r.
func (t *Tuple) fillRecord(r *Record) {
	v := t.blk.batch.Record(t.pos)
	*r = Record{
		Topic: t.Topic(), Partition: t.Partition(), Offset: v.Offset,
		Timestamp: v.Timestamp, Key: v.Key, Value: v.Value, Headers: v.Headers,
	}
}
