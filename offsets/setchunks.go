package offsets

import "github.com/google/btree"

// lookup returns the chunk of key if recent holds it, else nil.
func (s *Set) lookup(key int64) *chunk {
	if i := uint64(key) & uint64(len(s.recent)-1); i < uint64(len(s.recent)) {
		if c := s.recent[i]; c != nil && c.key == key {
			return c
		}
	}
	return nil
}

// find returns the chunk that o is in if it is a member; nil if there is none.
func (s *Set) find(o int64) *chunk {
	key := o >> chunkShift
	if c := s.lookup(key); c != nil || s.first == nil {
		return c
	}
	e, ok := s.tree.Get(entry{key: key})
	if ok {
		s.remember(e.chunk)
	}
	return e.chunk
}

// remember has lookup find c.
func (s *Set) remember(c *chunk) { s.recent[c.key&int64(len(s.recent)-1)] = c }

// resize gives recent another length.
func (s *Set) resize(n int) {
	old := s.recent
	s.recent = make([]*chunk, n)
	for _, c := range old {
		if c != nil {
			s.remember(c)
		}
	}
}

// seek returns the chunk with the lowest key that is key or above it; nil if
// there is none. The key may be that of no offset.
func (s *Set) seek(key int64) *chunk {
	if s.first == nil || key <= s.first.key {
		return s.first
	}
	if c := s.lookup(key); c != nil {
		return c
	}
	var found *chunk
	s.tree.AscendGreaterOrEqual(entry{key: key}, func(e entry) bool {
		found = e.chunk
		return false
	})
	return found
}

// grow returns the chunk of key, a new and empty one if there is none: the
// caller adds a member.
func (s *Set) grow(key int64) *chunk {
	c := s.find(key << chunkShift)
	if c != nil {
		return c
	}
	if last := len(s.free) - 1; last >= 0 {
		c, s.free[last] = s.free[last], nil
		s.free = s.free[:last]
	} else {
		c = new(chunk)
	}
	c.key = key
	if s.tree == nil {
		s.tree = btree.NewWithFreeListG(treeDegree,
			func(a, b entry) bool { return a.key < b.key }, btree.NewFreeListG[entry](treeFree))
	}
	s.tree.ReplaceOrInsert(entry{key, c})
	if n := s.tree.Len(); n > len(s.recent) {
		s.resize(max(minRecent, 2*len(s.recent)))
	}
	s.remember(c)
	if s.first == nil || key < s.first.key {
		s.first = c
	}
	return c
}

// drop takes c, which is empty, out of the tree.
func (s *Set) drop(c *chunk) {
	s.tree.Delete(entry{key: c.key})
	if slot := &s.recent[c.key&int64(len(s.recent)-1)]; *slot == c {
		*slot = nil
	}
	if n := len(s.recent); n > minRecent && s.tree.Len() < n/8 {
		s.resize(n / 4)
	}
	if s.first == c {
		e, _ := s.tree.Min()
		s.first = e.chunk
	}
	s.free = append(s.free, c)
	s.trimFree()
}

// trimFree lets go of the free chunks that are too many.
func (s *Set) trimFree() {
	limit := minFree
	if s.tree != nil {
		limit = max(limit, s.tree.Len())
	}
	for last := len(s.free) - 1; last >= limit; last-- {
		s.free[last] = nil
		s.free = s.free[:last]
	}
}
