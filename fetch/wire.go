package fetch

import (
	"encoding/binary"
)

// A reader takes the primitives of Kafka's protocol off b. Past the end, or at
// an impossible length, it turns bad and yields zero values from there on: who
// reads checks bad once, at the end.
type reader struct {
	b   []byte
	bad bool
}

// take returns the next n bytes, which alias b.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) int8() int8 {
	if b := r.take(1); b != nil {
		return int8(b[0])
	}
	return 0
}

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

// bytes32 reads bytes behind a length of 32 bits; a negative one is null.
func (r *reader) bytes32() []byte {
	n := r.int32()
	if n < 0 || r.bad {
		return nil
	}
	return r.take(int(n))
}
