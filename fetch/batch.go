package fetch

import (
	"time"
	"unsafe"
)

// A Batch is the decoded form of one record batch. It is immutable and safe for
// concurrent use.
//
// It owns its memory: who holds it, or a key, value or header of one of its
// records, keeps the bytes of this batch alive and of no other. Its records are
// addressed by the position that [Cursor.Next] gave, and decoded when they are
// asked for; a position from elsewhere may panic or yield nonsense.
type Batch struct {
	body           []byte // the records, decompressed
	base           int64
	firstTimestamp int64
	leaderEpoch    int32

	// stamped says that all records have the timestamp stamp: the topic is in
	// LogAppendTime.
	stamped bool
	stamp   int64
}

// LeaderEpoch returns the epoch of the leader that appended the batch, -1 if the
// batch is of a format that doesn't tell.
func (b *Batch) LeaderEpoch() int32 { return b.leaderEpoch }

// Size returns the bytes of memory that the batch pins.
func (b *Batch) Size() int { return cap(b.body) + int(unsafe.Sizeof(*b)) }

// Record decodes the record at pos.
func (b *Batch) Record(pos int32) Record {
	delta, i := varint(b.body, int(pos))
	offset, i := varint(b.body, i)
	key, i := field(b.body, i)
	value, i := field(b.body, i)
	return Record{
		Offset:    b.base + offset,
		Timestamp: time.UnixMilli(b.timestamp(delta)),
		Key:       key,
		Value:     value,
		Headers:   b.headers(i),
	}
}

// Offset returns the offset of the record at pos.
func (b *Batch) Offset(pos int32) int64 {
	_, i := varint(b.body, int(pos))
	delta, _ := varint(b.body, i)
	return b.base + delta
}

// Timestamp returns the timestamp of the record at pos in Unix milliseconds, -1
// if it has none.
func (b *Batch) Timestamp(pos int32) int64 {
	delta, _ := varint(b.body, int(pos))
	return b.timestamp(delta)
}

// Key returns the key of the record at pos; nil is null.
func (b *Batch) Key(pos int32) []byte {
	key, _ := field(b.body, b.keyAt(pos))
	return key
}

// Value returns the value of the record at pos; nil is null.
func (b *Batch) Value(pos int32) []byte {
	value, _ := field(b.body, skipField(b.body, b.keyAt(pos)))
	return value
}

// Headers returns the headers of the record at pos, nil if it has none.
func (b *Batch) Headers(pos int32) []Header {
	return b.headers(skipField(b.body, skipField(b.body, b.keyAt(pos))))
}

func (b *Batch) timestamp(delta int64) int64 {
	if b.stamped {
		return b.stamp
	}
	return b.firstTimestamp + delta
}

// keyAt returns the index of the length of the key of the record at pos.
func (b *Batch) keyAt(pos int32) int {
	return skipVarint(b.body, skipVarint(b.body, int(pos)))
}

// headers decodes the headers whose count is at index i.
func (b *Batch) headers(i int) []Header {
	n, i := varint(b.body, i)
	if n == 0 {
		return nil
	}
	hs := make([]Header, n)
	for k := range hs {
		var key []byte
		key, i = field(b.body, i)
		hs[k].Key = unsafe.String(unsafe.SliceData(key), len(key)) // immutable, as the batch is
		hs[k].Value, i = field(b.body, i)
	}
	return hs
}
