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
	if n := len(s.recent); n&(n-1) != 0 || n < len(in) {
		bad("%d places for the %d chunks", n, len(in))
	}
	for i, c := range s.recent {
		switch {
		case c == nil:
		case !in[c]:
			bad("recent chunk %d isn't in the tree", c.key)
		case c.key%int64(len(s.recent)) != int64(i):
			bad("recent chunk %d is in place %d", c.key, i)
		}
	}
	if len(s.free) > max(minFree, len(in)) {
		bad("%d free chunks, %d in the tree", len(s.free), len(in))
	}
	for _, c := range s.free[len(s.free):cap(s.free)] {
		if c != nil {
			bad("a vacated place holds chunk %d", c.key)
		}
	}
	for _, c := range s.free {
		if in[c] || !c.empty() {
			bad("free chunk %v is in use", c)
		}
	}
	return errors.Join(errs...)
}
