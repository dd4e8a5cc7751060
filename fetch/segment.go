package fetch

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// A rawBatch is one batch as it came: compressed, its checksum not looked at.
type rawBatch struct {
	bytes []byte // memory of its own
	// last is the batch's last offset, or lastUnknown if the bytes can't be a
	// batch: then decoding them says what is wrong.
	last int64
	// aborted: the batch belongs to an aborted transaction.
	aborted bool
}

// epoch returns the leader epoch of the batch, -1 in formats that don't tell.
func (b *rawBatch) epoch() int32 {
	if b.bytes[prefixSize-1] != 2 {
		return -1
	}
	return int32(binary.BigEndian.Uint32(b.bytes[lengthEnd:]))
}

// lastUnknown is above every offset.
const lastUnknown = math.MaxInt64

// A segment is what a fetch answer holds of one partition's log: whole batches.
type segment struct {
	batches []rawBatch
	size    int // bytes of all batches
	// cut is the length in bytes of the batch that the answer's end cut off, 0 if
	// there is none. Brokers fill answers up with as much of it as fits.
	cut int
}

// readSegment reads exactly n bytes off r, each batch straight into memory of
// its own, so that whoever keeps a batch keeps nothing else. What can't be a
// batch ends the segment; an error is r's.
func readSegment(r io.Reader, n int, a aborter) (segment, error) {
	var s segment
	for n >= prefixSize {
		var prefix [prefixSize]byte
		if _, err := io.ReadFull(r, prefix[:]); err != nil {
			return s, noEOF(err)
		}
		n -= prefixSize
		size := lengthEnd + int64(int32(binary.BigEndian.Uint32(prefix[8:])))
		if size < minBatchSize(prefix) || size > maxPos {
			s.batches = append(s.batches, rawBatch{bytes: prefix[:], last: lastUnknown})
			break
		}
		rest := int(size) - prefixSize
		if rest > n {
			s.cut = int(size)
			break
		}
		raw, err := readRest(r, prefix[:], rest)
		if err != nil {
			return s, err
		}
		n -= rest
		s.add(raw, a)
	}
	_, err := io.CopyN(io.Discard, r, int64(n))
	return s, noEOF(err)
}

// add appends the whole batch raw.
func (s *segment) add(raw []byte, a aborter) {
	b := rawBatch{bytes: raw, last: parseBase(raw)}
	switch int8(raw[prefixSize-1]) {
	case 0, 1: // the offset of a set is that of its last message
	case 2:
		h := parseHeader(raw)
		b.last = h.end() - 1
		if h.checkOffsets() != nil {
			b.last = lastUnknown
		}
		b.aborted = a.aborts(h, raw)
	default:
		b.last = lastUnknown
	}
	s.batches = append(s.batches, b)
	s.size += len(raw)
}

// minBatchSize returns the size in bytes of the smallest batch of the format
// that the prefix tells.
func minBatchSize(prefix [prefixSize]byte) int64 {
	if int8(prefix[prefixSize-1]) == 2 {
		return headerSize
	}
	return prefixSize
}

// maxStep bounds what is allocated for bytes that were only announced.
const maxStep = 16 << 20

// readRest returns prefix and the n bytes that follow it in r, in one piece.
func readRest(r io.Reader, prefix []byte, n int) ([]byte, error) {
	buf := append(make([]byte, 0, len(prefix)+min(n, maxStep)), prefix...)
	for end := len(prefix) + n; len(buf) < end; {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, min(end-len(buf), len(buf)))
		}
		have := len(buf)
		buf = buf[:min(cap(buf), end)]
		if _, err := io.ReadFull(r, buf[have:]); err != nil {
			return nil, noEOF(err)
		}
	}
	return buf, nil
}

// noEOF returns err, or io.ErrUnexpectedEOF if it is io.EOF: the announced bytes
// didn't all come.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
