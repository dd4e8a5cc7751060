package fetch

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Sizes of the batch format 2, in bytes.
const (
	// prefixSize reaches up to the magic byte, which stands at the same place in
	// all formats.
	prefixSize = 17
	// lengthEnd is where the batch length starts to count.
	lengthEnd = 12
	// crcEnd is where the part that the checksum covers begins.
	crcEnd = 21
	// headerSize is that of a batch without records.
	headerSize = 61
	// minRecordSize is that of a record with neither key, value nor headers.
	minRecordSize = 7
)

// attributes are the flags of a batch.
type attributes int16

func (a attributes) codec() int8         { return int8(a & 7) }
func (a attributes) logAppendTime() bool { return a&8 != 0 }
func (a attributes) transactional() bool { return a&16 != 0 }
func (a attributes) control() bool       { return a&32 != 0 }

// A header is the fixed part of a batch of format 2. The delete horizon (bit 6
// of the attributes, KIP-534) needs no care: the first timestamp is then the
// horizon, and records keep adding their deltas to it.
type header struct {
	base           int64
	length         int32 // bytes behind this field
	leaderEpoch    int32
	crc            uint32
	attributes     attributes
	lastDelta      int32
	firstTimestamp int64
	maxTimestamp   int64
	producer       int64
	count          int32
}

// parseHeader reads the header of the batch raw, which holds at least
// headerSize bytes.
func parseHeader(raw []byte) header {
	be := binary.BigEndian
	_ = raw[headerSize-1]
	return header{
		base:           int64(be.Uint64(raw)),
		length:         int32(be.Uint32(raw[8:])),
		leaderEpoch:    int32(be.Uint32(raw[12:])),
		crc:            be.Uint32(raw[17:]),
		attributes:     attributes(be.Uint16(raw[21:])),
		lastDelta:      int32(be.Uint32(raw[23:])),
		firstTimestamp: int64(be.Uint64(raw[27:])),
		maxTimestamp:   int64(be.Uint64(raw[35:])),
		producer:       int64(be.Uint64(raw[43:])),
		count:          int32(be.Uint32(raw[57:])),
	}
}

// end returns one past the last offset of the batch.
func (h header) end() int64 { return h.base + int64(h.lastDelta) + 1 }

// castagnoli is the polynomial of the checksums of format 2.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// check says what is wrong with the batch raw, of which h is the header.
func (h header) check(raw []byte) error {
	if int64(h.length) != int64(len(raw)-lengthEnd) {
		return fmt.Errorf("%w: length is %d, want %d", ErrCorrupt, h.length, len(raw)-lengthEnd)
	}
	if sum := crc32.Checksum(raw[crcEnd:], castagnoli); sum != h.crc {
		return fmt.Errorf("%w: checksum is %08x, want %08x", ErrCorrupt, sum, h.crc)
	}
	return h.checkOffsets()
}

// checkOffsets says whether the batch's span of offsets is possible.
func (h header) checkOffsets() error {
	if h.base < 0 || h.base > math.MaxInt64-math.MaxInt32-1 || h.lastDelta < 0 {
		return fmt.Errorf("%w: base offset %d, last offset delta %d", ErrCorrupt, h.base, h.lastDelta)
	}
	return nil
}

// checkCount says whether size bytes can hold the batch's records.
func (h header) checkCount(size int) error {
	if h.count < 0 || int(h.count) > size/minRecordSize {
		return fmt.Errorf("%w: %d records in %d bytes", ErrCorrupt, h.count, size)
	}
	return nil
}

// parseBase reads the offset that any format begins with.
func parseBase(raw []byte) int64 { return int64(binary.BigEndian.Uint64(raw)) }
