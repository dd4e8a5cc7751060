package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

var orders3 = offsets.Partition{Topic: "orders", Number: 3}

// drain returns the records that c has left.
func drain(c *Cursor) []Record {
	var rs []Record
	for {
		peeked, more := c.Peek()
		offset, pos, ok := c.Next()
		if more != ok || ok && (peeked != offset || c.Batch().Offset(pos) != offset) {
			panic(fmt.Sprintf("Peek = %d, %t; Next = %d, %t", peeked, more, offset, ok))
		}
		if !ok {
			return rs
		}
		rs = append(rs, c.Batch().Record(pos))
	}
}

// offsetsOf prints the records' offsets.
func offsetsOf(rs []Record) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprint(r.Offset))
	}
	return strings.Join(out, " ")
}

func mustCursor(t *testing.T, raw []byte, from int64) *Cursor {
	t.Helper()
	c, err := NewCursor(raw, from, orders3)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCursor(t *testing.T) {
	gap := batchtest.Of(10, "a", "b", "c")
	gap.Records[1].Delta, gap.Records[2].Delta = 3, 7
	control := batchtest.Of(10, "a")
	control.Control = true
	tests := []struct {
		name  string
		batch batchtest.Batch
		from  int64
		want  string
		end   int64
	}{
		{name: "all", batch: batchtest.Of(10, "a", "b", "c"), from: 10, want: "10 11 12", end: 13},
		{name: "from the middle", batch: batchtest.Of(10, "a", "b", "c"), from: 11, want: "11 12", end: 13},
		{name: "asked for a gap before it", batch: batchtest.Of(10, "a"), from: 7, want: "10", end: 11},
		{name: "gaps of compaction", batch: gap, from: 11, want: "13 17", end: 18},
		{name: "tail removed by compaction", batch: batchtest.Of(0, "a", "b").Spanning(5), from: 0, want: "0 1", end: 6},
		{name: "asked for what compaction removed", batch: batchtest.Of(0, "a", "b").Spanning(5), from: 2, want: "", end: 6},
		{name: "all removed by compaction", batch: batchtest.Of(2).Spanning(5), from: 2, want: "", end: 6},
		{name: "commit marker", batch: batchtest.Marker(4, 9, true), from: 4, want: "", end: 5},
		{name: "control batch of many records", batch: control.Spanning(12), from: 10, want: "", end: 13},
		{name: "wholly below", batch: batchtest.Of(10, "a"), from: 20, want: "", end: 11},
	}
	for _, tt := range tests {
		for _, codec := range batchtest.Codecs {
			t.Run(tt.name+"/"+codec.String(), func(t *testing.T) {
				b := tt.batch
				if len(b.Records) > 0 {
					b.Codec = codec
				}
				c := mustCursor(t, b.Bytes(), tt.from)
				if got := offsetsOf(drain(c)); got != tt.want {
					t.Errorf("offsets %q, want %q", got, tt.want)
				}
				if c.End() != tt.end || c.Err() != nil {
					t.Errorf("End = %d, Err = %v; want %d, nil", c.End(), c.Err(), tt.end)
				}
			})
		}
	}
}

// Every byte of a record is kept as it is, and null is told from empty.
func TestRecordFields(t *testing.T) {
	many := make([]batchtest.Header, 1000)
	for i := range many {
		many[i] = batchtest.Header{Key: fmt.Sprint(i % 7), Value: fmt.Append(nil, i)}
	}
	records := []batchtest.Record{
		{Value: []byte("only a value")},
		{Delta: 1, Key: []byte("tombstone")},
		{Delta: 2, Key: []byte{}, Value: []byte{}},
		{Delta: 3},
		{Delta: 4, TimestampDelta: -5000, Key: []byte("k"), Value: bytes.Repeat([]byte("v"), 5000)},
		{Delta: 5, TimestampDelta: math.MaxInt32 + 1, Headers: []batchtest.Header{{Key: "a", Value: []byte("1")}, {Key: "a", Value: []byte("2")}, {Key: "", Value: nil}, {Key: "e", Value: []byte{}}}},
		{Delta: 6, Headers: many},
	}
	for _, codec := range batchtest.Codecs {
		for _, stamped := range []bool{false, true} {
			b := batchtest.Batch{Base: 1 << 40, Records: records, Codec: codec, FirstTimestamp: 1e12, LeaderEpoch: 7,
				MaxTimestamp: new(int64(2e12)), LogAppendTime: stamped, DeleteHorizon: true}
			c := mustCursor(t, b.Bytes(), 0)
			if c.Batch().LeaderEpoch() != 7 {
				t.Errorf("LeaderEpoch = %d, want 7", c.Batch().LeaderEpoch())
			}
			for _, want := range records {
				_, pos, ok := c.Next()
				if !ok {
					t.Fatalf("%v: %v", codec, c.Err())
				}
				ms := int64(1e12) + want.TimestampDelta
				if stamped {
					ms = 2e12
				}
				got := c.Batch().Record(pos)
				if got.Offset != 1<<40+int64(want.Delta) || got.Timestamp.UnixMilli() != ms || c.Batch().Timestamp(pos) != ms {
					t.Errorf("%v, stamped %t: record %d at %d, want %d at %d", codec, stamped, got.Offset, got.Timestamp.UnixMilli(), 1<<40+int64(want.Delta), ms)
				}
				for name, pair := range map[string][3][]byte{
					"key":   {got.Key, c.Batch().Key(pos), want.Key},
					"value": {got.Value, c.Batch().Value(pos), want.Value},
				} {
					for _, b := range pair[:2] {
						if !bytes.Equal(b, pair[2]) || (b == nil) != (pair[2] == nil) {
							t.Errorf("%v: offset %d: %s = %#v, want %#v", codec, got.Offset, name, b, pair[2])
						}
					}
				}
				for _, hs := range [][]Header{got.Headers, c.Batch().Headers(pos)} {
					if len(hs) != len(want.Headers) || (hs == nil) != (len(want.Headers) == 0) {
						t.Fatalf("%v: offset %d: %d headers, want %d", codec, got.Offset, len(hs), len(want.Headers))
					}
					for i, h := range hs {
						if w := want.Headers[i]; h.Key != w.Key || !bytes.Equal(h.Value, w.Value) || (h.Value == nil) != (w.Value == nil) {
							t.Errorf("%v: offset %d: header %d = %v, want %v", codec, got.Offset, i, h, w)
						}
					}
				}
			}
		}
	}
}

// A batch that is wrong is an error that names its place; none of its records
// is delivered where the header or the checksum tells.
func TestCorruptBatch(t *testing.T) {
	good := batchtest.Of(40, "some value", "another value")
	tests := []struct {
		name   string
		change func(*batchtest.Batch)
		want   error
		offset int64
	}{
		{"count -1", func(b *batchtest.Batch) { b.Count = new(int32(-1)) }, ErrCorrupt, 40},
		{"count too high for the bytes", func(b *batchtest.Batch) { b.Count = new(int32(math.MaxInt32)) }, ErrCorrupt, 40},
		{"checksum", func(b *batchtest.Batch) { b.BadCRC = true }, ErrCorrupt, 40},
		{"last offset delta below 0", func(b *batchtest.Batch) { b.LastOffsetDelta = new(int32(-1)) }, ErrCorrupt, 40},
		{"base offset below 0", func(b *batchtest.Batch) { b.Base = -1 }, ErrCorrupt, 39},
		{"base offset near the highest", func(b *batchtest.Batch) { b.Base = math.MaxInt64 - 1 }, ErrCorrupt, math.MaxInt64 - 1},
		{"length too short", func(b *batchtest.Batch) { b.Length = new(int32(50)) }, ErrCorrupt, 40},
		{"length below 0", func(b *batchtest.Batch) { b.Length = new(int32(-1)) }, ErrCorrupt, 40},
		{"format 3", func(b *batchtest.Batch) { b.Magic = new(int8(3)) }, ErrUnsupported, 40},
		{"codec 5", func(b *batchtest.Batch) { b.Attributes = 5 }, ErrUnsupported, 40},
		{"gzip that isn't", func(b *batchtest.Batch) { b.Attributes = 1 }, ErrCorrupt, 40},
		{"snappy that isn't", func(b *batchtest.Batch) { b.Attributes = 2 }, ErrCorrupt, 40},
		{"lz4 that isn't", func(b *batchtest.Batch) { b.Attributes = 3 }, ErrCorrupt, 40},
		{"zstd that isn't", func(b *batchtest.Batch) { b.Attributes = 4 }, ErrCorrupt, 40},
		{"xerial cut short", func(b *batchtest.Batch) {
			b.Attributes, b.Body = 2, []byte(xerial+"\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x10\x00abcdefghijkl")
		}, ErrCorrupt, 40},
		{"snappy that claims too much", func(b *batchtest.Batch) {
			b.Attributes, b.Body = 2, append([]byte{0xff, 0xff, 0xff, 0x7f}, make([]byte, 64)...)
		}, ErrCorrupt, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := good
			tt.change(&b)
			_, err := NewCursor(b.Bytes(), 39, orders3)
			checkPartitionError(t, err, tt.want, tt.offset)
		})
	}
	raw := good.Bytes()
	for n := range len(raw) {
		if _, err := NewCursor(raw[:n], 40, orders3); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %v, want ErrCorrupt", n, len(raw), err)
		}
	}
}

func checkPartitionError(t *testing.T, err, want error, offset int64) {
	t.Helper()
	pe, ok := errors.AsType[*PartitionError](err)
	if !ok || !errors.Is(err, want) || pe.Partition != orders3 || pe.Offset != offset {
		t.Fatalf("error %v, want %v of orders/3@%d", err, want, offset)
	}
	if at := fmt.Sprintf("orders/3@%d", offset); !strings.Contains(err.Error(), at) {
		t.Errorf("%q doesn't name %s", err, at)
	}
}

// A record that is malformed under a right checksum ends the walk; those before
// it are right.
func TestMalformedRecord(t *testing.T) {
	tests := []struct {
		name string
		body []byte // behind one good record of offset 40
	}{
		{"cut", []byte{20, 0, 0, 2, 1, 1, 0}},
		{"length below 0", []byte{1, 0, 0, 2, 1, 1, 0}},
		{"length 0", []byte{0, 0, 0, 2, 1, 1, 0}},
		{"bytes left in the record", []byte{14, 0, 0, 2, 1, 1, 0, 0}},
		{"key too long", []byte{12, 0, 0, 2, 40, 1, 0}},
		{"value too long", []byte{12, 0, 0, 2, 1, 40, 0}},
		{"headers below 0", []byte{12, 0, 0, 2, 1, 1, 1}},
		{"more headers than bytes", []byte{12, 0, 0, 2, 1, 1, 100}},
		{"header with a null key", []byte{16, 0, 0, 2, 1, 1, 2, 1, 1}},
		{"header with a long value", []byte{16, 0, 0, 2, 1, 1, 2, 0, 90}},
		{"varint of 11 bytes", []byte{40, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 2, 1, 1, 0, 0, 0, 0, 0}},
		{"the same offset again", []byte{12, 0, 0, 0, 1, 1, 0}},
		{"an offset past the last", []byte{12, 0, 0, 4, 1, 1, 0}},
		{"an offset below the base", []byte{12, 0, 0, 3, 1, 1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one := []byte{12, 0, 0, 0, 1, 1, 0}
			b := batchtest.Batch{Base: 40, Body: append(one, tt.body...), Count: new(int32(2)), LastOffsetDelta: new(int32(1))}
			if size := len(b.Body); size < 14 {
				b.Body = append(b.Body, make([]byte, 14-size)...)
			}
			c := mustCursor(t, b.Bytes(), 40)
			if got := offsetsOf(drain(c)); got != "40" {
				t.Errorf("offsets %q, want 40", got)
			}
			checkPartitionError(t, c.Err(), ErrCorrupt, 41)
		})
	}
	t.Run("more bytes than records", func(t *testing.T) {
		b := batchtest.Batch{Base: 40, Body: make([]byte, 50), Count: new(int32(1)), LastOffsetDelta: new(int32(0))}
		copy(b.Body, []byte{12, 0, 0, 0, 1, 1, 0})
		c := mustCursor(t, b.Bytes(), 40)
		drain(c)
		checkPartitionError(t, c.Err(), ErrCorrupt, 41)
	})
}

// kafka-go#913: whatever bit of a value is flipped, in whatever codec, nothing of
// the batch is delivered.
func TestFlippedBit(t *testing.T) {
	for _, codec := range batchtest.Codecs {
		raw := batchtest.Of(40, strings.Repeat("value ", 20)).With(codec).Bytes()
		for bit := crcEnd * 8; bit < len(raw)*8; bit++ {
			flipped := bytes.Clone(raw)
			flipped[bit/8] ^= 1 << (bit % 8)
			if _, err := NewCursor(flipped, 40, orders3); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%v: bit %d flipped: %v, want ErrCorrupt", codec, bit, err)
			}
		}
	}
}

// Walking the same batch twice, from wherever, yields the same.
func TestCursorSkipTo(t *testing.T) {
	raw := batchtest.Of(10, "a", "b", "c", "d", "e").Bytes()
	c := mustCursor(t, raw, 10)
	c.Next()
	c.Peek()
	c.skipTo(11)
	if o, _ := c.Peek(); o != 11 {
		t.Errorf("Peek = %d, want 11", o)
	}
	c.skipTo(13)
	if got := offsetsOf(drain(c)); got != "13 14" {
		t.Errorf("offsets %q, want 13 14", got)
	}
}
