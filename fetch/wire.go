package fetch

import (
	"encoding/binary"
	"io"
)

// A reader takes the primitives of Kafka's protocol off b or, if src isn't nil,
// off the left bytes of src. Past the end, or at an impossible length, it turns
// bad and yields zero values from there on: who reads checks bad once, at the
// end. An error of src is kept in err.
type reader struct {
	b    []byte
	src  io.Reader
	left int // bytes of src
	err  error
	bad  bool

	// flexible: strings and arrays are compact, and tagged fields follow
	// (KIP-482).
	flexible bool
	small    [16]byte // what take returns of src, up to the next take
}

// remaining returns the number of bytes left.
func (r *reader) remaining() int {
	if r.src != nil {
		return r.left
	}
	return len(r.b)
}

// take returns the next n bytes. They alias b or, off src, are valid until the
// next call if they're 16 or fewer.
func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > r.remaining() {
		r.bad, r.b, r.left = true, nil, 0
		return nil
	}
	if r.src == nil {
		out := r.b[:n:n]
		r.b = r.b[n:]
		return out
	}
	r.left -= n
	var out []byte
	if n <= len(r.small) {
		out = r.small[:n]
		_, r.err = io.ReadFull(r.src, out)
	} else {
		out, r.err = readRest(r.src, nil, n)
	}
	if r.err = noEOF(r.err); r.err != nil {
		r.bad, r.left = true, 0
		return nil
	}
	return out
}

func (r *reader) int8() int8 {
	if b := r.take(1); b != nil {
		return int8(b[0])
	}
	return 0
}

func (r *reader) bool() bool { return r.int8() != 0 }

func (r *reader) int16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// uvarint reads an unsigned varint of at most 32 bits.
func (r *reader) uvarint() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := uint8(r.int8())
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.bad = true
	return 0
}

// bytes32 reads bytes behind a length of 32 bits; a negative one is null.
func (r *reader) bytes32() []byte {
	n := r.int32()
	if n < 0 || r.bad {
		return nil
	}
	return r.take(int(n))
}

// size reads the length of something that may be null, which is -1.
func (r *reader) size(plain func() int) int {
	if r.flexible {
		return int(r.uvarint()) - 1
	}
	return plain()
}

// string reads a string; null is empty.
func (r *reader) string() string {
	n := r.size(func() int { return int(r.int16()) })
	if n <= 0 {
		return ""
	}
	return string(r.take(n))
}

// array reads the length of an array whose elements take at least one byte; null
// is empty.
func (r *reader) array() int {
	n := r.size(func() int { return int(r.int32()) })
	if n > r.remaining() {
		r.bad = true
	}
	if r.bad {
		return 0
	}
	return max(n, 0)
}

// skipInt32s skips an array of 32-bit numbers.
func (r *reader) skipInt32s() { r.skip(4 * r.array()) }

// skip passes over n bytes.
func (r *reader) skip(n int) {
	for n > len(r.small) && r.src != nil && !r.bad {
		r.take(len(r.small))
		n -= len(r.small)
	}
	r.take(n)
}

// tags skips the tagged fields, if there are any in this version.
func (r *reader) tags() {
	r.eachTag(func(_ uint32, size int) int { return size })
}

// eachTag hands the tagged fields to read, which returns how many of a field's
// bytes it left.
func (r *reader) eachTag(read func(tag uint32, size int) int) {
	if !r.flexible {
		return
	}
	for range r.uvarint() {
		if r.bad {
			return
		}
		r.skip(read(r.uvarint(), int(r.uvarint())))
	}
}

// id reads a topic id.
func (r *reader) id() (id [16]byte) {
	copy(id[:], r.take(len(id)))
	return id
}

// A writer appends the primitives of Kafka's protocol to b.
type writer struct {
	b        []byte
	flexible bool // as in reader
}

func (w *writer) int8(v int8)   { w.b = append(w.b, byte(v)) }
func (w *writer) int16(v int16) { w.b = binary.BigEndian.AppendUint16(w.b, uint16(v)) }
func (w *writer) int32(v int32) { w.b = binary.BigEndian.AppendUint32(w.b, uint32(v)) }
func (w *writer) int64(v int64) { w.b = binary.BigEndian.AppendUint64(w.b, uint64(v)) }

func (w *writer) bool(v bool) {
	if v {
		w.int8(1)
		return
	}
	w.int8(0)
}

// string appends a string that isn't null.
func (w *writer) string(s string) {
	if w.flexible {
		w.b = binary.AppendUvarint(w.b, uint64(len(s))+1)
	} else {
		w.int16(int16(len(s)))
	}
	w.b = append(w.b, s...)
}

// array appends the length of an array; -1 is null.
func (w *writer) array(n int) {
	if w.flexible {
		w.b = binary.AppendUvarint(w.b, uint64(n+1))
		return
	}
	w.int32(int32(n))
}

func (w *writer) id(id [16]byte) { w.b = append(w.b, id[:]...) }

// tags appends that there are no tagged fields, where there could be.
func (w *writer) tags() {
	if w.flexible {
		w.b = append(w.b, 0)
	}
}
