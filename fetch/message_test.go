package fetch

import (
	"errors"
	"testing"

	"github.com/kspout/kspout/internal/batchtest"
)

func set(magic int8, offsets ...int64) []batchtest.Message {
	var ms []batchtest.Message
	for _, o := range offsets {
		ms = append(ms, batchtest.Message{Magic: magic, Offset: o, Timestamp: 1000 + o, Key: []byte("k"), Value: []byte("v")})
	}
	return ms
}

func TestOldFormats(t *testing.T) {
	type m = batchtest.Message
	tests := []struct {
		name string
		m    m
		from int64
		want string
		end  int64
	}{
		{"format 0", m{Magic: 0, Offset: 7, Value: []byte("v")}, 7, "7", 8},
		{"format 1", m{Magic: 1, Offset: 7, Timestamp: 5}, 0, "7", 8},
		{"format 0 wraps absolute offsets", m{Magic: 0, Offset: 9, Codec: batchtest.Gzip, Inner: set(0, 7, 8, 9)}, 8, "8 9", 10},
		{"format 1 wraps relative offsets", m{Magic: 1, Offset: 9, Codec: batchtest.LZ4, Inner: set(1, 0, 1, 2)}, 8, "8 9", 10},
		{"format 1, compacted inside", m{Magic: 1, Offset: 109, Codec: batchtest.Snappy, Inner: set(1, 2, 5, 9)}, 0, "102 105 109", 110},
		{"format 1 in xerial", m{Magic: 1, Offset: 109, Codec: batchtest.Xerial, Inner: set(1, 2, 9)}, 103, "109", 110},
		{"format 1, wrapper at 0", m{Magic: 1, Codec: batchtest.Gzip, Inner: set(1, 0, 1, 2)}, 0, "0 1 2", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustCursor(t, tt.m.Bytes(), tt.from)
			if got := offsetsOf(drain(c)); got != tt.want || c.End() != tt.end || c.Err() != nil {
				t.Errorf("offsets %q, End %d, Err %v; want %q, %d, nil", got, c.End(), c.Err(), tt.want, tt.end)
			}
			if c.Batch().LeaderEpoch() != -1 {
				t.Errorf("LeaderEpoch = %d, want -1", c.Batch().LeaderEpoch())
			}
		})
	}
}

func TestOldFormatFields(t *testing.T) {
	for _, tt := range []struct {
		m    batchtest.Message
		want int64
	}{
		{batchtest.Message{Magic: 0, Offset: 1, Key: []byte{}}, -1},
		{batchtest.Message{Magic: 1, Offset: 1, Timestamp: 77, Key: []byte{}}, 77},
		{batchtest.Message{Magic: 1, Offset: 1, Timestamp: 99, LogAppendTime: true, Codec: batchtest.Gzip,
			Inner: []batchtest.Message{{Magic: 1, Timestamp: 5, Key: []byte{}}}}, 99},
	} {
		r := drain(mustCursor(t, tt.m.Bytes(), 0))[0]
		if r.Timestamp.UnixMilli() != tt.want || r.Key == nil || r.Value != nil || r.Headers != nil {
			t.Errorf("record %+v, want timestamp %d, an empty key, a null value", r, tt.want)
		}
	}
}

func TestCorruptOldFormats(t *testing.T) {
	type m = batchtest.Message
	tests := map[string]m{
		"checksum":            {Magic: 1, Offset: 40, BadCRC: true},
		"inner checksum":      {Magic: 1, Offset: 40, Codec: batchtest.Gzip, Inner: []m{{Magic: 1, BadCRC: true}}},
		"empty set":           {Magic: 1, Offset: 40, Codec: batchtest.Gzip, Inner: []m{}},
		"null set":            {Magic: 1, Offset: 40, Codec: batchtest.Gzip},
		"set in a set":        {Magic: 1, Offset: 40, Codec: batchtest.Gzip, Inner: []m{{Magic: 1, Codec: batchtest.Gzip, Inner: set(1, 0)}}},
		"other format inside": {Magic: 1, Offset: 40, Codec: batchtest.Gzip, Inner: set(0, 0)},
		"ends below its last": {Magic: 1, Offset: 40, Codec: batchtest.Gzip, Inner: set(1, 41)},
	}
	for name, m := range tests {
		_, err := NewCursor(m.Bytes(), 40, orders3)
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
			continue
		}
		checkPartitionError(t, err, ErrCorrupt, 40)
	}
	// Offsets that don't ascend show when they're walked.
	c := mustCursor(t, m{Magic: 0, Offset: 41, Codec: batchtest.Gzip, Inner: set(0, 40, 41, 41)}.Bytes(), 40)
	if got := offsetsOf(drain(c)); got != "40 41" {
		t.Errorf("offsets %q, want 40 41", got)
	}
	checkPartitionError(t, c.Err(), ErrCorrupt, 42)
}
