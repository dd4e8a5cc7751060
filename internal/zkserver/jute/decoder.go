package jute

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed is what a [Decoder] reports when a value does not fit into the
// bytes that are left, or a length is below -1.
var ErrMalformed = errors.New("jute: malformed record")

// A Decoder reads values off the front of a record. The first value that
// cannot be read sets its error; from then on every method returns a zero
// value. It is not safe for concurrent use.
type Decoder struct {
	rest []byte
	err  error
}

// NewDecoder returns a decoder of record, which it aliases.
func NewDecoder(record []byte) *Decoder { return &Decoder{rest: record} }

// Err returns [ErrMalformed] if a value could not be read, else nil.
func (d *Decoder) Err() error { return d.err }

// Rest returns the bytes that have not been read.
func (d *Decoder) Rest() []byte { return d.rest }

// take returns the next n bytes, or nil and an error set.
func (d *Decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.rest) {
		d.err, d.rest = ErrMalformed, nil
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// Bool reads a boolean: any byte but 0 is true.
func (d *Decoder) Bool() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

// Int32 reads an int.
func (d *Decoder) Int32() int32 {
	b := d.take(4)
	if b == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

// Int64 reads a long.
func (d *Decoder) Int64() int64 {
	b := d.take(8)
	if b == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Buffer reads a buffer. Null comes back as nil; anything else aliases the
// record.
func (d *Decoder) Buffer() []byte {
	n := d.Int32()
	if d.err != nil || n == -1 {
		return nil
	}
	return d.take(int(n))
}

// String reads a string that must not be null. It is not checked to be UTF-8.
func (d *Decoder) String() string {
	return string(d.take(int(d.Int32())))
}

// Vector reads the length of a vector whose elements take at least minBytes
// each. A length that the remaining bytes cannot hold is malformed, so that
// the caller may allocate by it. Null is a length of 0.
func (d *Decoder) Vector(minBytes int) int {
	n := d.Int32()
	if d.err != nil || n == -1 {
		return 0
	}
	if n < 0 || int64(n)*int64(minBytes) > int64(len(d.rest)) {
		d.err, d.rest = ErrMalformed, nil
		return 0
	}
	return int(n)
}

// Strings reads a vector of strings; null and an empty one come back as nil.
func (d *Decoder) Strings() []string {
	n := d.Vector(4)
	if n == 0 {
		return nil
	}
	s := make([]string, n)
	for i := range s {
		s[i] = d.String()
	}
	return s
}

// Fail sets the error, for a value that was read but makes no sense.
func (d *Decoder) Fail() { d.err, d.rest = ErrMalformed, nil }
