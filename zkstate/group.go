package zkstate

// A multi's items, or one item that goes alone.
type itemGroup []*item

// group divides items into those that go out in one request each: multis within
// the bounds, and alone what was refused in two of them.
func (s *Store) group(items []*item) []itemGroup {
	var groups []itemGroup
	var open itemGroup
	limit := min(maxMultiBytes, s.client.cfg.MaxRequest-frameHead-multiHead)
	size := 0
	for _, it := range items {
		if it.tries > 1 {
			groups = append(groups, itemGroup{it})
			continue
		}
		n := it.op.opSize() + len(s.client.servers.chroot)
		if len(open) == maxMultiOps || len(open) > 0 && size+n > limit {
			groups, open, size = append(groups, open), nil, 0
		}
		open, size = append(open, it), size+n
	}
	if len(open) > 0 {
		groups = append(groups, open)
	}
	return groups
}

// request returns what stores the group.
func (g itemGroup) request() Request {
	if len(g) == 1 {
		return g[0].op
	}
	ops := make([]Op, len(g))
	for i, it := range g {
		ops[i] = it.op
	}
	return Multi{Ops: ops}
}
