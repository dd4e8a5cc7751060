package fetch

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// A rawBatch is one batch as it came: compressed.
type rawBatch struct {
	bytes []byte // memory of its own
	// last is the batch's last offset, or lastUnknown if the bytes can't be a
	// batch: then decoding them says what is wrong.
	last int64
	// aborted: the batch belongs to an aborted transaction.
	aborted bool
	// checked: its header and checksum are right. They are looked at as soon as the
	// bytes are there, while the processor has them at hand; what is wrong is told
	// when the batch is decoded.
	checked bool
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
	ahead, _ := r.(*bufio.Reader)
	for n >= prefixSize {
		if raw, err := copyBatch(ahead, n); err != nil {
			return s, err
		} else if raw != nil {
			n -= len(raw)
			s.add(raw, a)
			continue
		}
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

// copyBatch takes a batch that fits into what is read ahead, and of which n bytes
// hold the whole; nil if it isn't such a one. Many batches come with one system
// call so, and append doesn't clear what it copies into: a sixth of what fetching
// costs, says the bench module.
func copyBatch(r *bufio.Reader, n int) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	b, err := r.Peek(prefixSize)
	if err != nil {
		return nil, noEOF(err)
	}
	size := lengthEnd + int64(int32(binary.BigEndian.Uint32(b[8:])))
	if size < minBatchSize([prefixSize]byte(b)) || size > int64(min(n, r.Size())) {
		return nil, nil
	}
	if b, err = r.Peek(int(size)); err != nil {
		return nil, noEOF(err)
	}
	raw := append([]byte(nil), b...)
	_, err = r.Discard(len(raw))
	return raw, err
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
		b.checked = h.check(raw) == nil
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
