package offsets

import (
	"fmt"
	"math"

	"github.com/google/btree"
)

// A Set is an ordered set of offsets, 0 to MaxInt64 - 1. Its zero value is
// empty and ready to use. A Set isn't safe for concurrent use, and must not be
// copied once it has been used.
//
// It is a B-tree of chunks of 256 offsets, one bit each, and so is at its best
// where members lie close together: a large dense set takes less than half a
// byte for each, a member all alone about 100 bytes. A window that slides along
// a log allocates nothing, and searches the tree once in 256 offsets. An
// operation on a range costs what its chunks cost.
type Set struct {
	// tree holds the chunks by their keys. Nil until the first member comes.
	// Invariant: no chunk in it is empty.
	tree *btree.BTreeG[entry]

	// n is the number of members.
	n int

	// first is the chunk with the lowest key; nil if the set is empty.
	first *chunk

	// recent finds chunks without a search: it holds, for each value of key %
	// len(recent), the last chunk looked up, nil where there is none. Its length
	// is a power of 2, or 0, and not below tree.Len(), so that all chunks of a
	// window without holes have a place in it.
	// Invariant: what it holds is in tree.
	recent []*chunk

	// free holds emptied chunks for use again, all bits zero: at most as many as
	// are in tree, or minFree.
	free []*chunk
}

// An entry is an item of a Set's tree. It repeats the chunk's key so that a
// search stays within the nodes.
type entry struct {
	key int64
	*chunk
}

const (
	treeDegree = 64
	treeFree   = 8  // nodes of the tree kept for use again
	minFree    = 16 // chunks
	minRecent  = 4  // chunks
)

// Add makes o a member, and reports whether it wasn't one. It panics if o isn't
// in [0, MaxInt64).
func (s *Set) Add(o int64) bool {
	if uint64(o) >= math.MaxInt64 {
		panic(fmt.Sprintf("offsets: Set.Add(%d): out of range", o))
	}
	key := o >> chunkShift
	c := s.lookup(key)
	if c == nil {
		c = s.grow(key)
	}
	word, bit := &c.words[o>>6&3], uint64(1)<<(o&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	s.n++
	return true
}

// AddRange makes the offsets of [from, to) members, and returns how many of
// them weren't. Its cost, in time and in memory, is that of (to - from) / 256
// chunks. It panics if the range isn't empty and from is negative.
func (s *Set) AddRange(from, to int64) int64 {
	if from >= to {
		return 0
	}
	if from < 0 {
		panic(fmt.Sprintf("offsets: Set.AddRange(%d, %d): out of range", from, to))
	}
	added := int64(0)
	for key := from >> chunkShift; key <= (to-1)>>chunkShift; key++ {
		c := s.grow(key)
		added += int64(c.add(c.clip(from, to)))
	}
	s.n += int(added)
	return added
}

// Remove makes o no member, and reports whether it was one.
func (s *Set) Remove(o int64) bool {
	c := s.find(o)
	if c == nil {
		return false
	}
	word, bit := &c.words[o>>6&3], uint64(1)<<(o&63)
	if *word&bit == 0 {
		return false
	}
	*word &^= bit
	s.n--
	if *word == 0 && c.empty() {
		s.drop(c)
	}
	return true
}

// RemoveRange makes the offsets of [from, to) no members, and returns how many
// of them were.
func (s *Set) RemoveRange(from, to int64) int64 {
	removed := int64(0)
	for c := s.seek(from >> chunkShift); c != nil && from < to && c.base() < to; {
		removed += int64(c.remove(c.clip(from, to)))
		key := c.key
		if c.empty() {
			s.drop(c)
		}
		c = s.seek(key + 1)
	}
	s.n -= int(removed)
	return removed
}

// RemoveBelow makes the offsets below o no members, and returns how many of
// them were.
func (s *Set) RemoveBelow(o int64) int64 { return s.RemoveRange(0, o) }

// RemoveFrom makes o and the offsets above it no members, and returns how many
// of them were.
func (s *Set) RemoveFrom(o int64) int64 { return s.RemoveRange(o, math.MaxInt64) }

// Clear removes all members.
func (s *Set) Clear() {
	if s.tree != nil {
		s.tree.Clear(true)
	}
	s.first, s.recent, s.n = nil, nil, 0
	s.trimFree()
}

// Contains reports whether o is a member.
func (s *Set) Contains(o int64) bool {
	c := s.find(o)
	return c != nil && c.words[o>>6&3]&(1<<(o&63)) != 0
}

// Len returns the number of members.
func (s *Set) Len() int { return s.n }

// Min returns the lowest member, and whether there is one.
func (s *Set) Min() (int64, bool) {
	if s.first == nil {
		return 0, false
	}
	return s.first.next(0)
}

// Max returns the highest member, and whether there is one.
func (s *Set) Max() (int64, bool) {
	if s.first == nil {
		return 0, false
	}
	e, _ := s.tree.Max()
	return e.last(), true
}

// Next returns the lowest member that is o or above it, and whether there is
// one.
func (s *Set) Next(o int64) (int64, bool) {
	c := s.seek(o >> chunkShift)
	if c == nil {
		return 0, false
	}
	lo, _ := c.clip(o, math.MaxInt64)
	if next, ok := c.next(lo); ok {
		return next, true
	}
	// All of o's own chunk is below o.
	if c = s.seek(c.key + 1); c == nil {
		return 0, false
	}
	return c.next(0)
}

// Count returns how many of the offsets of [from, to) are members.
func (s *Set) Count(from, to int64) int64 {
	n := int64(0)
	s.chunks(from, to, func(c *chunk) bool {
		n += int64(c.count(c.clip(from, to)))
		return true
	})
	return n
}
