package offsets

import "slices"

// Ranges is an ascending list of disjoint, non-empty ranges, as in
// [Checkpoint.Acked]. It is what restored acks are kept in, whose number is bounded
// by the size of a stored document while their length isn't: one range may stand
// for a billion offsets. Its methods never change the list that they are called on.
type Ranges []Range

// find returns the index of the first range that ends above o.
func (s Ranges) find(o int64) int {
	i, _ := slices.BinarySearchFunc(s, o, func(r Range, o int64) int {
		if r.To <= o {
			return -1
		}
		return 1
	})
	return i
}

// EndOf returns the end of the range that holds o, and false if none does.
func (s Ranges) EndOf(o int64) (int64, bool) {
	if i := s.find(o); i < len(s) && s[i].From <= o {
		return s[i].To, true
	}
	return 0, false
}

// Count returns how many offsets of [from, to) are in s.
func (s Ranges) Count(from, to int64) (n int64) {
	for _, r := range s[s.find(from):] {
		if r.From >= to {
			break
		}
		n += Range{max(r.From, from), min(r.To, to)}.Len()
	}
	return n
}

// From returns s without the offsets below o.
func (s Ranges) From(o int64) Ranges {
	s = s[s.find(o):]
	if len(s) > 0 && s[0].From < o {
		s = slices.Clone(s)
		s[0].From = o
	}
	return s
}

// Below returns s without the offsets at and above o.
func (s Ranges) Below(o int64) Ranges {
	i := s.find(o)
	if i < len(s) && s[i].From < o {
		s = slices.Clone(s[:i+1])
		s[i].To = o
		return s
	}
	return s[:i:i]
}
