package offsets

import (
	"math"
	"slices"
	"testing"
)

func TestSpans(t *testing.T) {
	s := Ranges{{2, 5}, {7, 8}, {10, 1 << 40}}
	before := slices.Clone(s)
	for _, tt := range []struct {
		o           int64
		end         int64
		in          bool
		from, below Ranges
		count       int64 // in [3, o)
	}{
		{0, 0, false, s, nil, 0},
		{2, 5, true, s, nil, 0},
		{4, 5, true, Ranges{{4, 5}, {7, 8}, {10, 1 << 40}}, Ranges{{2, 4}}, 1},
		{5, 0, false, s[1:], s[:1], 2},
		{7, 8, true, s[1:], s[:1], 2},
		{8, 0, false, s[2:], s[:2], 3},
		{10, 1 << 40, true, s[2:], s[:2], 3},
		{12, 1 << 40, true, Ranges{{12, 1 << 40}}, Ranges{{2, 5}, {7, 8}, {10, 12}}, 5},
		{1 << 40, 0, false, nil, s, 1<<40 - 7},
		{math.MaxInt64, 0, false, nil, s, 1<<40 - 7},
	} {
		if end, in := s.EndOf(tt.o); end != tt.end || in != tt.in {
			t.Errorf("endOf(%d) = %d, %t, want %d, %t", tt.o, end, in, tt.end, tt.in)
		}
		if got := s.From(tt.o); !slices.Equal(got, tt.from) {
			t.Errorf("from(%d) = %v, want %v", tt.o, got, tt.from)
		}
		if got := s.Below(tt.o); !slices.Equal(got, tt.below) {
			t.Errorf("below(%d) = %v, want %v", tt.o, got, tt.below)
		}
		if got := s.Count(3, tt.o); got != tt.count {
			t.Errorf("count(3, %d) = %d, want %d", tt.o, got, tt.count)
		}
	}
	if !slices.Equal(s, before) {
		t.Errorf("%v was changed to %v", before, s)
	}
}

func TestEpochs(t *testing.T) {
	var e epochs
	e.note(5, -1) // as before
	if got := e.at(0); got != -1 {
		t.Errorf("at(0) of nothing = %d, want -1", got)
	}
	for _, s := range []epochStart{{0, 1}, {10, 1}, {20, 3}, {25, 3}, {27, -1}, {30, 4}} {
		e.note(s.from, s.epoch)
	}
	want := func(when string, at map[int64]int32) {
		t.Helper()
		for o, epoch := range at {
			if got := e.at(o); got != epoch {
				t.Errorf("%s: at(%d) = %d, want %d", when, o, got, epoch)
			}
		}
	}
	want("noted", map[int64]int32{-1: -1, 0: 1, 19: 1, 20: 3, 26: 3, 27: -1, 29: -1, 30: 4, 99: 4})
	if len(e) != 4 {
		t.Errorf("%v has %d entries, want one for each change", e, len(e))
	}
	e.trimFrom(30)
	want("cut at 30", map[int64]int32{0: 1, 26: 3, 30: -1})
	e.trimBelow(22)
	want("trimmed below 22", map[int64]int32{19: -1, 20: 3, 30: -1})
	e.note(30, 5)
	want("noted again", map[int64]int32{26: 3, 29: -1, 30: 5})
	e.trimFrom(math.MinInt64)
	want("cut at all", map[int64]int32{30: -1})
}
