package offsets

import (
	"iter"
	"math"
	"math/bits"
)

// All returns the members, ascending. The set must not be changed meanwhile.
func (s *Set) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		s.chunks(0, math.MaxInt64, func(c *chunk) bool {
			for w, word := range c.words {
				for at := c.base() + int64(64*w); word != 0; word &= word - 1 {
					if !yield(at + int64(bits.TrailingZeros64(word))) {
						return false
					}
				}
			}
			return true
		})
	}
}

// Ranges returns the members as ranges, ascending, each as wide as can be. The
// set must not be changed meanwhile.
func (s *Set) Ranges() iter.Seq[Range] { return s.RangesIn(0, math.MaxInt64) }

// RangesIn returns the members in [from, to) as ranges, ascending, each as wide
// as can be within [from, to). The set must not be changed meanwhile.
func (s *Set) RangesIn(from, to int64) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		var run Range // found, and may go on
		more := true
		s.chunks(from, to, func(c *chunk) bool {
			lo, hi := c.clip(from, to)
			more = c.runs(lo, hi, func(r Range) bool {
				if r.From == run.To && run.Len() > 0 {
					run.To = r.To
					return true
				}
				last := run
				run = r
				return last.Len() == 0 || yield(last)
			})
			return more
		})
		if more && run.Len() > 0 {
			yield(run)
		}
	}
}

// Gaps returns the offsets of [from, to) that are no members as ranges,
// ascending, each as wide as can be within [from, to). The set must not be
// changed meanwhile.
func (s *Set) Gaps(from, to int64) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		at := from
		for r := range s.RangesIn(from, to) {
			if at < r.From && !yield(Range{at, r.From}) {
				return
			}
			at = r.To
		}
		if at < to {
			yield(Range{at, to})
		}
	}
}

// chunks calls f for the chunks that hold offsets of [from, to), ascending, as
// long as it returns true.
func (s *Set) chunks(from, to int64, f func(*chunk) bool) {
	if s.first == nil || from >= to {
		return
	}
	s.tree.AscendGreaterOrEqual(entry{key: from >> chunkShift}, func(e entry) bool {
		return e.base() < to && f(e.chunk)
	})
}
