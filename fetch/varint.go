package fetch

import (
	"encoding/binary"
	"math"
)

// varint reads the zigzag varint at b[i:] and returns it and the index behind
// it, or an index below 0 if there is none. One byte, by far the most frequent
// case, stays inlined.
func varint(b []byte, i int) (int64, int) {
	if i < len(b) && b[i] < 0x80 {
		u := b[i]
		return int64(u>>1) ^ -int64(u&1), i + 1
	}
	return longVarint(b, i)
}

// longVarint is varint for more than one byte. Lengths of 64 to 8,191 bytes have
// two, so they don't take the loop: BenchmarkDecode.
func longVarint(b []byte, i int) (int64, int) {
	if i >= len(b) {
		return 0, -1
	}
	if i+1 < len(b) && b[i+1] < 0x80 {
		u := int64(b[i]&0x7f) | int64(b[i+1])<<7
		return u>>1 ^ -(u & 1), i + 2
	}
	v, n := binary.Varint(b[i:])
	if n <= 0 {
		return 0, -1
	}
	return v, i + n
}

// varint32 is varint for values of 32 bits, which take at most 5 bytes.
func varint32(b []byte, i int) (int32, int) {
	if i < len(b) && b[i] < 0x80 {
		u := int32(b[i])
		return u>>1 ^ -(u & 1), i + 1
	}
	v, end := longVarint(b, i)
	if v != int64(int32(v)) || end-i > 5 {
		return 0, -1
	}
	return int32(v), end
}

// field reads the length-prefixed bytes at b[i:], nil if the length is negative.
// They alias b.
func field(b []byte, i int) ([]byte, int) {
	n, i := varint32(b, i)
	if n < 0 || i < 0 {
		return nil, i
	}
	if int(n) > len(b)-i {
		return nil, -1
	}
	end := i + int(n)
	return b[i:end:end], end
}

// skipField is field without the bytes.
func skipField(b []byte, i int) int {
	n, i := varint32(b, i)
	if n <= 0 || i < 0 {
		return i
	}
	if int(n) > len(b)-i {
		return -1
	}
	return i + int(n)
}

// skipVarint returns the index behind the varint at b[i:], which is known to be
// there.
func skipVarint(b []byte, i int) int {
	for b[i] >= 0x80 {
		i++
	}
	return i + 1
}

// maxPos is the size of the largest batch whose records have positions, in bytes.
const maxPos = math.MaxInt32
