package jute

import (
	"bytes"
	"slices"
	"testing"
)

// TestRoundTrip: what an Encoder writes, a Decoder reads.
func TestRoundTrip(t *testing.T) {
	var e Encoder
	e.Bool(true)
	e.Int32(-7)
	e.Int64(-1 << 40)
	e.Buffer(nil)
	e.Buffer([]byte{})
	e.Buffer([]byte("data"))
	e.String("päth")
	e.Strings([]string{"", "a"})
	d := NewDecoder(e.Bytes())
	if !d.Bool() || d.Int32() != -7 || d.Int64() != -1<<40 {
		t.Error("a number differs")
	}
	if b := d.Buffer(); b != nil {
		t.Errorf("null is %q", b)
	}
	if b := d.Buffer(); b == nil || len(b) != 0 {
		t.Errorf("empty is %v", b)
	}
	if b := d.Buffer(); string(b) != "data" || cap(b) != 4 {
		t.Errorf("buffer is %q, capacity %d", b, cap(b))
	}
	if s := d.String(); s != "päth" {
		t.Errorf("string is %q", s)
	}
	if s := d.Strings(); !slices.Equal(s, []string{"", "a"}) {
		t.Errorf("strings are %q", s)
	}
	if d.Err() != nil || len(d.Rest()) != 0 {
		t.Errorf("%v, %d bytes left", d.Err(), len(d.Rest()))
	}
}

// TestMalformed: what doesn't fit is an error, and stays one.
func TestMalformed(t *testing.T) {
	for name, read := range map[string]func(*Decoder){
		"bool":            func(d *Decoder) { d.Bool() },
		"int32":           func(d *Decoder) { d.Int32() },
		"int64":           func(d *Decoder) { d.Int64() },
		"buffer":          func(d *Decoder) { d.Buffer() },
		"string":          func(d *Decoder) { _ = d.String() },
		"vector":          func(d *Decoder) { d.Vector(1) },
		"vector of longs": func(d *Decoder) { d.Vector(8) },
	} {
		for _, record := range [][]byte{
			{},
			{0, 0, 0, 9, 1},                // a length that is too long
			{0x7f, 0xff, 0xff, 0xff, 1, 2}, // far too long
			{0xff, 0xff, 0xff, 0xfe, 1},    // -2
			{0x80, 0, 0, 0, 1},             // the lowest
		} {
			if len(record) > 0 && (name == "bool" || name == "int32") {
				continue
			}
			d := NewDecoder(bytes.Clone(record))
			read(d)
			if d.Err() != ErrMalformed {
				t.Errorf("%s of %v: %v", name, record, d.Err())
			}
			if read(d); d.Err() != ErrMalformed || d.Rest() != nil {
				t.Errorf("%s of %v: the error is gone", name, record)
			}
		}
	}
	null := []byte{0xff, 0xff, 0xff, 0xff}
	d := NewDecoder(null)
	if _ = d.String(); d.Err() == nil {
		t.Error("a null string is taken")
	}
	d = NewDecoder(null)
	if n := d.Vector(4); n != 0 || d.Err() != nil {
		t.Errorf("a null vector is %d, %v", n, d.Err())
	}
}
