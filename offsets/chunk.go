package offsets

import "math/bits"

// A chunk holds the members of a [Set] among 256 neighbouring offsets, those
// from base() on.
type chunk struct {
	// key is what its offsets have in common: offset >> chunkShift.
	key int64

	// words are the members: bit i of word w stands for base() + 64*w + i.
	words [chunkSize / 64]uint64
}

const (
	chunkShift = 8
	chunkSize  = 1 << chunkShift // offsets
)

// base returns the lowest offset that c can hold.
func (c *chunk) base() int64 { return c.key << chunkShift }

func (c *chunk) empty() bool { return c.words[0]|c.words[1]|c.words[2]|c.words[3] == 0 }

// clip returns the part of [from, to) that lies in c, as positions in c, 0 to
// chunkSize.
func (c *chunk) clip(from, to int64) (lo, hi int) {
	base := c.base()
	lo = int(min(max(from, base)-base, chunkSize))
	hi = int(min(max(to, base)-base, chunkSize))
	return lo, hi
}

// mask returns the bits of word w that stand for the positions [lo, hi).
func mask(w, lo, hi int) uint64 {
	lo = min(max(lo-64*w, 0), 64)
	hi = min(max(hi-64*w, 0), 64)
	return ^uint64(0) << lo &^ (^uint64(0) << hi)
}

// add makes the positions [lo, hi) members and returns how many were not.
func (c *chunk) add(lo, hi int) int {
	n := 0
	for w := range c.words {
		m := mask(w, lo, hi)
		n += bits.OnesCount64(m &^ c.words[w])
		c.words[w] |= m
	}
	return n
}

// remove makes the positions [lo, hi) no members and returns how many were.
func (c *chunk) remove(lo, hi int) int {
	n := 0
	for w := range c.words {
		m := mask(w, lo, hi)
		n += bits.OnesCount64(m & c.words[w])
		c.words[w] &^= m
	}
	return n
}

// count returns how many of the positions [lo, hi) are members.
func (c *chunk) count(lo, hi int) int {
	n := 0
	for w, word := range c.words {
		n += bits.OnesCount64(mask(w, lo, hi) & word)
	}
	return n
}

// next returns the lowest member at position lo or above it.
func (c *chunk) next(lo int) (int64, bool) {
	for w := lo / 64; w < len(c.words); w++ {
		if word := c.words[w] & mask(w, lo, chunkSize); word != 0 {
			return c.base() + int64(64*w+bits.TrailingZeros64(word)), true
		}
	}
	return 0, false
}

// last returns the highest member of c, which isn't empty.
func (c *chunk) last() int64 {
	w := len(c.words) - 1
	for c.words[w] == 0 {
		w--
	}
	return c.base() + int64(64*w+bits.Len64(c.words[w])-1)
}

// runs calls yield for the runs of members among the positions [lo, hi),
// ascending, as long as it returns true. Two runs that meet at a word's edge
// are yielded apart. It reports whether yield always returned true.
func (c *chunk) runs(lo, hi int, yield func(Range) bool) bool {
	for w, word := range c.words {
		word &= mask(w, lo, hi)
		at := c.base() + int64(64*w)
		for word != 0 {
			gap := bits.TrailingZeros64(word)
			n := bits.TrailingZeros64(^(word >> gap))
			if !yield(Range{at + int64(gap), at + int64(gap+n)}) {
				return false
			}
			word &^= mask(0, gap, gap+n)
		}
	}
	return true
}
