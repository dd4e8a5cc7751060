package jute

import "encoding/binary"

// An Encoder appends values to a record. The zero value is an empty record.
// It is not safe for concurrent use.
type Encoder struct {
	buf []byte
}

// Bytes returns the record, which later calls may go on changing.
func (e *Encoder) Bytes() []byte { return e.buf }

// Bool appends a boolean.
func (e *Encoder) Bool(v bool) {
	var b byte
	if v {
		b = 1
	}
	e.buf = append(e.buf, b)
}

// Int32 appends an int.
func (e *Encoder) Int32(v int32) { e.buf = binary.BigEndian.AppendUint32(e.buf, uint32(v)) }

// Int64 appends a long.
func (e *Encoder) Int64(v int64) { e.buf = binary.BigEndian.AppendUint64(e.buf, uint64(v)) }

// Buffer appends a buffer; nil is written as null.
func (e *Encoder) Buffer(v []byte) {
	if v == nil {
		e.Int32(-1)
		return
	}
	e.Int32(int32(len(v)))
	e.buf = append(e.buf, v...)
}

// String appends a string.
func (e *Encoder) String(v string) {
	e.Int32(int32(len(v)))
	e.buf = append(e.buf, v...)
}

// Strings appends a vector of strings.
func (e *Encoder) Strings(v []string) {
	e.Int32(int32(len(v)))
	for _, s := range v {
		e.String(s)
	}
}
