package offsets

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// b2i is what the model returns for a bool.
var b2i = map[bool]int64{true: 1}

// setModel is the obviously correct Set.
type setModel map[int64]bool

func (m setModel) sorted() []int64 { return slices.Sorted(maps.Keys(m)) }

func (m setModel) addRange(from, to int64) (n int64) {
	for o := from; o < to; o++ {
		if !m[o] {
			m[o] = true
			n++
		}
	}
	return n
}

func (m setModel) removeRange(from, to int64) (n int64) {
	for o := range m {
		if from <= o && o < to {
			delete(m, o)
			n++
		}
	}
	return n
}

// runs returns the runs in [from, to) of offsets for which m is in.
func (m setModel) runs(from, to int64, in bool) (rs []Range) {
	for o := from; o < to; o++ {
		switch {
		case m[o] != in:
		case len(rs) > 0 && rs[len(rs)-1].To == o:
			rs[len(rs)-1].To++
		default:
			rs = append(rs, Range{o, o + 1})
		}
	}
	return rs
}

// compareSet checks s against m, what lies in [from, to) one by one.
func compareSet(t *testing.T, s *Set, m setModel, from, to int64) {
	t.Helper()
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	want := m.sorted()
	if got := slices.Collect(s.All()); !slices.Equal(got, want) {
		t.Fatalf("All() = %v, want %v", got, want)
	}
	if got := s.Len(); got != len(want) {
		t.Fatalf("Len() = %d, want %d", got, len(want))
	}
	low, lowOK := s.Min()
	high, highOK := s.Max()
	if ok := len(want) > 0; lowOK != ok || highOK != ok || ok && (low != want[0] || high != want[len(want)-1]) {
		t.Fatalf("Min() = %d, %t; Max() = %d, %t; members %v", low, lowOK, high, highOK, want)
	}
	for o := from; o < to; o++ {
		if got := s.Contains(o); got != m[o] {
			t.Fatalf("Contains(%d) = %t, members %v", o, got, want)
		}
	}
	members := m.runs(from, to, true)
	if got := slices.Collect(s.RangesIn(from, to)); !slices.Equal(got, members) {
		t.Fatalf("RangesIn(%d, %d) = %v, want %v", from, to, got, members)
	}
	if got, want := slices.Collect(s.Gaps(from, to)), m.runs(from, to, false); !slices.Equal(got, want) {
		t.Fatalf("Gaps(%d, %d) = %v, want %v", from, to, got, want)
	}
	n := int64(0)
	for _, r := range members {
		n += r.Len()
	}
	if got := s.Count(from, to); got != n {
		t.Fatalf("Count(%d, %d) = %d, want %d", from, to, got, n)
	}
	i, _ := slices.BinarySearch(want, from)
	got, ok := s.Next(from)
	if ok != (i < len(want)) || ok && got != want[i] {
		t.Fatalf("Next(%d) = %d, %t; members %v", from, got, ok, want)
	}
}

// FuzzSet replays a script against a Set and the model. A step is four bytes:
// the operation, an offset of 0 to 65,535 and a length of 0 to 2,040.
func FuzzSet(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0})
	f.Add([]byte{1, 0, 10, 255, 3, 0, 60, 20, 4, 1, 0, 0, 5, 2, 0, 0, 6, 0, 0, 0, 0, 0, 9, 0})
	f.Add([]byte{1, 0, 0, 255, 1, 8, 0, 255, 1, 16, 0, 255, 3, 0, 1, 255, 3, 8, 0, 255, 4, 17, 0, 0})
	f.Add([]byte{0, 0, 255, 0, 0, 1, 0, 0, 0, 16, 0, 0, 2, 0, 255, 0, 2, 1, 0, 0, 2, 16, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		script = script[:min(len(script), 4*64)]
		var s Set
		m := setModel{}
		for ; len(script) >= 4; script = script[4:] {
			o := int64(script[1])<<8 | int64(script[2])
			to := o + 8*int64(script[3])
			var got, want int64
			switch script[0] % 7 {
			case 0:
				got, want = b2i[s.Add(o)], m.addRange(o, o+1)
			case 1:
				got, want = s.AddRange(o, to), m.addRange(o, to)
			case 2:
				got, want = b2i[s.Remove(o)], m.removeRange(o, o+1)
			case 3:
				got, want = s.RemoveRange(o, to), m.removeRange(o, to)
			case 4:
				got, want = s.RemoveBelow(o), m.removeRange(0, o)
			case 5:
				got, want = s.RemoveFrom(o), m.removeRange(o, math.MaxInt64)
			case 6:
				s.Clear()
				clear(m)
			}
			if got != want {
				t.Fatalf("step % x: returned %d, want %d", script[:4], got, want)
			}
			compareSet(t, &s, m, o-70, to+70)
		}
	})
}

// TestSetAtRandom runs wide ranges, far apart, against the model: more chunks
// than the free list keeps, and fewer than the keys they span.
func TestSetAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var s Set
	m := setModel{}
	for step := range 400 {
		from := rng.Int64N(60_000)
		to := from + rng.Int64N(20_000)>>rng.IntN(12)
		if rng.IntN(3) == 0 { // to the edges of chunks
			from, to = from&^(chunkSize-1), to&^(chunkSize-1)
		}
		var got, want int64
		switch op := rng.IntN(24); {
		case op >= 22:
			got, want = b2i[s.Add(from)], m.addRange(from, from+1)
		case op >= 20:
			got, want = b2i[s.Remove(from)], m.removeRange(from, from+1)
		case op < 9:
			got, want = s.AddRange(from, to), m.addRange(from, to)
		case op < 16:
			got, want = s.RemoveRange(from, to), m.removeRange(from, to)
		case op < 17:
			got, want = s.RemoveBelow(from/4), m.removeRange(0, from/4)
		case op < 18:
			got, want = s.RemoveFrom(60_000-from/4), m.removeRange(60_000-from/4, math.MaxInt64)
		case op < 19:
			for o := range s.RangesIn(from, to) {
				got += o.Len()
			}
			want = s.Count(from, to)
		case rng.IntN(4) == 0:
			s.Clear()
			clear(m)
		}
		if got != want {
			t.Fatalf("step %d: returned %d, want %d", step, got, want)
		}
		if err := s.check(); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if step%16 == 0 {
			compareSet(t, &s, m, from-70, min(from+2_000, to)+70)
		}
	}
}

func TestSetEdges(t *testing.T) {
	const top = math.MaxInt64
	var s Set
	for _, o := range []int64{-1, 0, 1, top} {
		if s.Contains(o) || s.Remove(o) {
			t.Errorf("the empty set has %d", o)
		}
		if next, ok := s.Next(o); ok {
			t.Errorf("Next(%d) = %d in the empty set", o, next)
		}
	}
	if n := s.RemoveRange(math.MinInt64, top) + s.RemoveBelow(top) + s.RemoveFrom(-5) + s.Count(0, top); n != 0 {
		t.Errorf("removed %d of the empty set", n)
	}
	s.Clear()

	if n := s.AddRange(top-300, top) + s.AddRange(0, 1) + s.AddRange(9, 9) + s.AddRange(9, -9); n != 301 {
		t.Errorf("AddRange added %d, want 301", n)
	}
	if got, want := slices.Collect(s.Ranges()), []Range{{0, 1}, {top - 300, top}}; !slices.Equal(got, want) {
		t.Errorf("Ranges() = %v, want %v", got, want)
	}
	if got, want := slices.Collect(s.Gaps(-2, top)), []Range{{-2, 0}, {1, top - 300}}; !slices.Equal(got, want) {
		t.Errorf("Gaps(-2, top) = %v, want %v", got, want)
	}
	if got, ok := s.Max(); got != top-1 || !ok {
		t.Errorf("Max() = %d, %t", got, ok)
	}
	if got, ok := s.Next(1); got != top-300 || !ok {
		t.Errorf("Next(1) = %d, %t", got, ok)
	}
	if got, ok := s.Next(top); ok {
		t.Errorf("Next(top) = %d", got)
	}
	if s.Contains(top) || s.Remove(top) || s.Remove(-1) || s.RemoveFrom(top) != 0 {
		t.Error("top or -1 is a member")
	}
	s.Remove(0)
	if got, ok := s.Next(math.MinInt64); got != top-300 || !ok {
		t.Errorf("Next(MinInt64) = %d, %t", got, ok)
	}
	if n := s.Count(math.MinInt64, top); n != 300 {
		t.Errorf("Count(MinInt64, top) = %d, want 300", n)
	}
	if n := s.RemoveRange(math.MinInt64, top-299) + s.AddRange(0, 1) + s.AddRange(top-300, top-299); n != 3 {
		t.Errorf("removed and added %d, want 3", n)
	}
	if n := s.RemoveRange(top-300, top); n != 300 || s.Len() != 1 {
		t.Errorf("RemoveRange removed %d, left %d", n, s.Len())
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

// TestSetIteratorsStop leaves each iterator at each of its values.
func TestSetIteratorsStop(t *testing.T) {
	var s Set
	s.AddRange(10, 13)
	s.AddRange(250, 260)
	s.Add(5000)
	for stop := range 5 {
		stopAt := func(name string, n int) {
			if n > stop+1 {
				t.Errorf("%s went on after %d values", name, stop+1)
			}
		}
		n := 0
		for range s.All() {
			if n++; n > stop {
				break
			}
		}
		stopAt("All", n)
		n = 0
		for range s.Ranges() {
			if n++; n > stop {
				break
			}
		}
		stopAt("Ranges", n)
		n = 0
		for range s.Gaps(0, 6000) {
			if n++; n > stop {
				break
			}
		}
		stopAt("Gaps", n)
	}
}

func TestSetRefusesOffsetsOutOfRange(t *testing.T) {
	for name, add := range map[string]func(*Set){
		"Add(-1)":          func(s *Set) { s.Add(-1) },
		"Add(MaxInt64)":    func(s *Set) { s.Add(math.MaxInt64) },
		"AddRange(-1, 5)":  func(s *Set) { s.AddRange(-1, 5) },
		"AddRange(-9, -1)": func(s *Set) { s.AddRange(-9, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			var s Set
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
				if s.Len() != 0 || s.check() != nil {
					t.Errorf("%d members, check: %v", s.Len(), s.check())
				}
			}()
			add(&s)
		})
	}
}

// TestSetWindowAllocatesNothing slides a window along a log: emptied chunks and
// nodes of the tree are used again.
func TestSetWindowAllocatesNothing(t *testing.T) {
	for _, window := range []int64{1, 100, 1_000, 10_000, 100_000} {
		var s Set
		at := int64(1_000_000)
		slide := func() {
			s.Add(at)
			s.Remove(at - window)
			s.Min()
			at++
		}
		for range 2 * window {
			slide()
		}
		if n := testing.AllocsPerRun(10_000, slide); n != 0 {
			t.Errorf("window %d: %v allocations per record", window, n)
		}
		if err := s.check(); err != nil {
			t.Error(err)
		}
	}
}
