package batchtest

import (
	"encoding/binary"
	"hash/crc32"
)

// A Batch specifies one record batch. The zero value is an empty batch at
// offset 0. Fields that are pointers override what would be computed.
type Batch struct {
	// Base is the offset of the first record that the batch ever held.
	Base int64
	// Records are those that it still holds, in any order and with any deltas.
	Records []Record
	// Codec compresses the records.
	Codec Codec

	// LeaderEpoch is the partition leader epoch.
	LeaderEpoch int32
	// FirstTimestamp is in Unix milliseconds; records add their deltas to it.
	FirstTimestamp int64

	// ProducerID is that of the producer. It is written as -1 where Transactional
	// isn't set and ProducerID is 0.
	ProducerID    int64
	ProducerEpoch int16

	Transactional bool
	Control       bool
	// LogAppendTime says that the broker stamped the batch: all its records have
	// MaxTimestamp.
	LogAppendTime bool
	// DeleteHorizon says that FirstTimestamp is the time at which tombstones may
	// go (KIP-534).
	DeleteHorizon bool

	// LastOffsetDelta overrides that of the last record (-1 if there is none).
	LastOffsetDelta *int32
	// MaxTimestamp overrides the highest one of the records.
	MaxTimestamp *int64
	// Count overrides the number of records.
	Count *int32
	// Length overrides the batch length, the bytes behind that field.
	Length *int32
	// Magic overrides the format, 2.
	Magic *int8
	// Attributes are or-ed into those that the fields above yield.
	Attributes int16
	// Body, if not nil, stands in the place of the encoded records; it isn't
	// compressed.
	Body []byte
	// BadCRC flips one bit of the checksum.
	BadCRC bool
}

// Of returns a batch of one record a value, at base and the offsets after it.
func Of(base int64, values ...string) Batch {
	b := Batch{Base: base}
	for i, v := range values {
		b.Records = append(b.Records, Record{Delta: int32(i), Value: []byte(v)})
	}
	return b
}

// Marker returns the control batch that ends a transaction of the producer.
func Marker(base, producerID int64, commit bool) Batch {
	var kind byte
	if commit {
		kind = 1
	}
	return Batch{
		Base: base, Control: true, Transactional: true, ProducerID: producerID,
		Records: []Record{{Key: []byte{0, 0, 0, kind}, Value: make([]byte, 6)}},
	}
}

// In returns b as part of a transaction of the producer.
func (b Batch) In(producerID int64) Batch {
	b.Transactional, b.ProducerID = true, producerID
	return b
}

// With returns b compressed by c.
func (b Batch) With(c Codec) Batch {
	b.Codec = c
	return b
}

// Spanning returns b with its last offset at last, whatever records it holds: as
// compaction leaves it.
func (b Batch) Spanning(last int64) Batch {
	b.LastOffsetDelta = new(int32(last - b.Base))
	return b
}

// Bytes returns the batch as it stands in a log and on the wire.
func (b Batch) Bytes() []byte {
	lastDelta, maxTimestamp := int32(-1), b.FirstTimestamp
	var records []byte
	for _, r := range b.Records {
		records = r.append(records)
		lastDelta = max(lastDelta, r.Delta)
		maxTimestamp = max(maxTimestamp, b.FirstTimestamp+r.TimestampDelta)
	}
	records = b.Codec.compress(records)
	if b.Body != nil {
		records = b.Body
	}
	producerID := b.ProducerID
	if producerID == 0 && !b.Transactional {
		producerID = -1
	}
	be := binary.BigEndian
	out := be.AppendUint64(nil, uint64(b.Base))
	out = be.AppendUint32(out, uint32(or(b.Length, int32(49+len(records)))))
	out = be.AppendUint32(out, uint32(b.LeaderEpoch))
	out = append(out, byte(or(b.Magic, 2)))
	out = append(out, 0, 0, 0, 0) // the checksum's place
	out = be.AppendUint16(out, uint16(b.attributes()))
	out = be.AppendUint32(out, uint32(or(b.LastOffsetDelta, lastDelta)))
	out = be.AppendUint64(out, uint64(b.FirstTimestamp))
	out = be.AppendUint64(out, uint64(or(b.MaxTimestamp, maxTimestamp)))
	out = be.AppendUint64(out, uint64(producerID))
	out = be.AppendUint16(out, uint16(b.ProducerEpoch))
	out = be.AppendUint32(out, 0) // base sequence
	out = be.AppendUint32(out, uint32(or(b.Count, int32(len(b.Records)))))
	out = append(out, records...)
	crc := crc32.Checksum(out[21:], crc32.MakeTable(crc32.Castagnoli))
	if b.BadCRC {
		crc ^= 1
	}
	be.PutUint32(out[17:], crc)
	return out
}

func (b Batch) attributes() int16 {
	a := b.Attributes | b.Codec.bits()
	for bit, set := range map[int16]bool{8: b.LogAppendTime, 16: b.Transactional, 32: b.Control, 64: b.DeleteHorizon} {
		if set {
			a |= bit
		}
	}
	return a
}

// Join returns the bytes of the batches, one behind the other: a log segment.
func Join(batches ...Batch) []byte {
	var out []byte
	for _, b := range batches {
		out = append(out, b.Bytes()...)
	}
	return out
}

func or[T any](override *T, computed T) T {
	if override != nil {
		return *override
	}
	return computed
}
