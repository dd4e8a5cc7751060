package batchtest

import (
	"encoding/binary"
	"hash/crc32"
)

// A Message specifies one message of the formats 0 and 1, which logs written
// before Kafka 0.11 still hold. With Inner it is a compressed wrapper of others.
type Message struct {
	// Magic is the format, 0 or 1.
	Magic int8
	// Offset is the message's own; of a wrapper it is that of its last inner
	// message. The inner messages' own are absolute in format 0, and relative to
	// the set's first one in format 1.
	Offset int64
	// Timestamp is in Unix milliseconds (format 1).
	Timestamp     int64
	LogAppendTime bool
	Key, Value    []byte
	Codec         Codec
	Inner         []Message
	// BadCRC flips one bit of the checksum.
	BadCRC bool
}

// Bytes returns the message as it stands in a log and on the wire.
func (m Message) Bytes() []byte {
	value := m.Value
	if m.Inner != nil {
		value = nil
		for _, inner := range m.Inner {
			value = append(value, inner.Bytes()...)
		}
		value = m.Codec.compress(value)
	}
	attributes := byte(m.Codec.bits())
	if m.LogAppendTime {
		attributes |= 8
	}
	be := binary.BigEndian
	body := []byte{byte(m.Magic), attributes}
	if m.Magic > 0 {
		body = be.AppendUint64(body, uint64(m.Timestamp))
	}
	for _, b := range [][]byte{m.Key, value} {
		if b == nil {
			body = be.AppendUint32(body, 0xffffffff)
			continue
		}
		body = be.AppendUint32(body, uint32(len(b)))
		body = append(body, b...)
	}
	crc := crc32.ChecksumIEEE(body)
	if m.BadCRC {
		crc ^= 1
	}
	out := be.AppendUint64(nil, uint64(m.Offset))
	out = be.AppendUint32(out, uint32(4+len(body)))
	out = be.AppendUint32(out, crc)
	return append(out, body...)
}
