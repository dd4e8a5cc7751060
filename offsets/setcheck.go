package offsets

import (
	"errors"
	"fmt"
	"math/bits"
)

// check walks s and returns every broken invariant, joined, or nil.
func (s *Set) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("offsets: set: "+format, args...)) }

	in := map[*chunk]bool{}
	n, last := 0, int64(-1)
	var first *chunk
	if s.tree != nil {
		s.tree.Ascend(func(e entry) bool {
			if first == nil {
				first = e.chunk
			}
			in[e.chunk] = true
			for _, word := range e.words {
				n += bits.OnesCount64(word)
			}
			if e.empty() {
				bad("chunk %d is empty", e.key)
			}
			if e.key != e.chunk.key {
				bad("chunk %d is filed under %d", e.chunk.key, e.key)
			}
			if e.key <= last {
				bad("chunk %d comes after %d", e.key, last)
			}
			last = e.key
			return true
		})
	}
	if n != s.n {
		bad("%d members, counted as %d", n, s.n)
	}
	if first != s.first {
		bad("first chunk is %v, noted as %v", first, s.first)
	}
	for i, c := range s.recent {
		switch {
		case c == nil:
		case !in[c]:
			bad("recent chunk %d isn't in the tree", c.key)
		case c.key%recentSize != int64(i):
			bad("recent chunk %d is in slot %d", c.key, i)
		}
	}
	if len(s.free) > maxFree {
		bad("%d free chunks", len(s.free))
	}
	for _, c := range s.free {
		if in[c] || !c.empty() {
			bad("free chunk %v is in use", c)
		}
	}
	return errors.Join(errs...)
}
