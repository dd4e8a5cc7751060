package fetch

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/kspout/kspout/offsets"
)

// A message is one entry of a log in the formats 0 and 1, which was written
// before Kafka 0.11. A compressed one wraps others.
type message struct {
	offset     int64
	magic      int8
	attributes attributes
	timestamp  int64 // -1 in format 0
	key, value []byte
}

// crcMessageEnd is where the part that a message's checksum covers begins.
const crcMessageEnd = 16

// parseMessage reads the message at the start of b, checks its checksum, and
// returns what follows it.
func parseMessage(b []byte) (m message, rest []byte, err error) {
	if len(b) < prefixSize {
		return m, nil, fmt.Errorf("%w: %d bytes of a message", ErrCorrupt, len(b))
	}
	be := binary.BigEndian
	size := int32(be.Uint32(b[8:]))
	if size < prefixSize-lengthEnd || int64(size) > int64(len(b)-lengthEnd) {
		return m, nil, fmt.Errorf("%w: message of %d bytes in %d", ErrCorrupt, size, len(b)-lengthEnd)
	}
	b, rest = b[:lengthEnd+size], b[lengthEnd+size:]
	if sum := crc32.ChecksumIEEE(b[crcMessageEnd:]); sum != be.Uint32(b[lengthEnd:]) {
		return m, nil, fmt.Errorf("%w: checksum is %08x, want %08x", ErrCorrupt, sum, be.Uint32(b[lengthEnd:]))
	}
	r := reader{b: b[prefixSize:]}
	m = message{offset: int64(be.Uint64(b)), magic: int8(b[prefixSize-1]), timestamp: -1}
	m.attributes = attributes(r.int8())
	if m.magic == 1 {
		m.timestamp = r.int64()
	}
	m.key = r.bytes32()
	m.value = r.bytes32()
	if r.bad || len(r.b) > 0 || m.offset < 0 || m.offset > math.MaxInt64-math.MaxInt32-1 {
		return m, nil, fmt.Errorf("%w: malformed message", ErrCorrupt)
	}
	return m, rest, nil
}

// message decodes one message as a batch of the records that it holds, written
// anew in format 2.
//
// The offsets of wrapped messages are absolute in format 0. In format 1 they're
// relative to the set's first one, and the wrapper has that of the last: what
// compaction removed from the set shows only so. A wrapper at 0 comes from
// librdkafka versions that didn't set it; its inner offsets stand as they are.
func (d *decoder) message(raw []byte, from int64, p offsets.Partition) (*Cursor, error) {
	outer, rest, err := parseMessage(raw)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the message", ErrCorrupt, len(rest))
	}
	inner := []message{outer}
	if codec := outer.attributes.codec(); codec != codecNone {
		if inner, err = d.unwrap(outer, codec); err != nil {
			return nil, err
		}
	}
	base := inner[0].offset
	var body []byte
	for _, m := range inner {
		delta := m.offset - base
		if delta < 0 || delta > math.MaxInt32 {
			return nil, fmt.Errorf("%w: offset %d in a message set at %d", ErrCorrupt, m.offset, base)
		}
		body = m.appendRecord(body, delta)
	}
	return &Cursor{
		batch: &Batch{
			body:        body,
			base:        base,
			leaderEpoch: -1,
			stamped:     outer.magic == 0 || outer.attributes.logAppendTime(),
			stamp:       outer.timestamp,
		},
		part: p,
		from: from,
		end:  max(outer.offset, inner[len(inner)-1].offset) + 1,
		left: int32(len(inner)),
		last: -1,
	}, nil
}

// unwrap returns the messages that outer holds, with absolute offsets.
func (d *decoder) unwrap(outer message, codec int8) ([]message, error) {
	set, err := d.inflater.inflate(codec, outer.value)
	if err != nil {
		return nil, err
	}
	if len(set) == 0 {
		return nil, fmt.Errorf("%w: empty message set", ErrCorrupt)
	}
	var inner []message
	for len(set) > 0 {
		var m message
		if m, set, err = parseMessage(set); err != nil {
			return nil, err
		}
		if m.magic != outer.magic || m.attributes.codec() != codecNone {
			return nil, fmt.Errorf("%w: message of format %d and codec %d in a set of format %d",
				ErrCorrupt, m.magic, m.attributes.codec(), outer.magic)
		}
		inner = append(inner, m)
	}
	if outer.magic == 0 || outer.offset == 0 {
		return inner, nil
	}
	base := outer.offset - inner[len(inner)-1].offset
	if base < 0 {
		return nil, fmt.Errorf("%w: message set ends at %d, its last message at %d", ErrCorrupt, outer.offset, inner[len(inner)-1].offset)
	}
	for i := range inner {
		inner[i].offset += base
	}
	return inner, nil
}

// appendRecord appends m as a record of format 2.
func (m message) appendRecord(body []byte, delta int64) []byte {
	record := []byte{0} // attributes
	record = binary.AppendVarint(record, m.timestamp)
	record = binary.AppendVarint(record, delta)
	for _, b := range [][]byte{m.key, m.value} {
		if b == nil {
			record = binary.AppendVarint(record, -1)
			continue
		}
		record = binary.AppendVarint(record, int64(len(b)))
		record = append(record, b...)
	}
	record = binary.AppendVarint(record, 0) // headers
	body = binary.AppendVarint(body, int64(len(record)))
	return append(body, record...)
}
