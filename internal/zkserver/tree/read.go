package tree

import "strings"

// readable returns the node at path if it exists and the caller has one of
// perms on it.
func (t *Tree) readable(c Caller, path string, perms int32) (*node, Code) {
	n := t.node(path)
	if n == nil {
		return nil, NoNode
	}
	if !allowed(n.acl, perms, c.IDs) {
		return nil, NoAuth
	}
	return n, OK
}

// Get returns the data, which the caller must not change, and the Stat of a
// node.
func (t *Tree) Get(c Caller, path string) ([]byte, Stat, Code) {
	n, code := t.readable(c, path, Read)
	if code != OK {
		return nil, Stat{}, code
	}
	return n.data, n.stat(), OK
}

// Exists returns the Stat of a node.
func (t *Tree) Exists(c Caller, path string) (Stat, Code) {
	if strings.IndexByte(path, 0) >= 0 {
		return Stat{}, BadArguments // the other reads say NoNode
	}
	_, stat, code := t.Get(c, path)
	return stat, code
}

// Children returns the sorted names of a node's children, and its Stat.
func (t *Tree) Children(c Caller, path string) ([]string, Stat, Code) {
	n, code := t.readable(c, path, Read)
	if code != OK {
		return nil, Stat{}, code
	}
	return n.names(), n.stat(), OK
}

// ACL returns the ACL of a node, which the caller must not change, and its
// Stat. Read or Admin is needed; without Admin, password hashes are masked.
func (t *Tree) ACL(c Caller, path string) ([]ACL, Stat, Code) {
	n, code := t.readable(c, path, Read|Admin)
	if code != OK {
		return nil, Stat{}, code
	}
	if !allowed(n.acl, Admin, c.IDs) {
		return masked(n.acl), n.stat(), OK
	}
	return n.acl, n.stat(), OK
}

// Missed returns the event that a watch on path, last known to hold at the
// zxid since, should already have seen, if any. created says that the watch
// waits for the node to be created, children that it is on its children and
// not on its data.
func (t *Tree) Missed(path string, since int64, created, children bool) (EventType, bool) {
	n := t.node(path)
	switch {
	case created:
		return Created, n != nil
	case n == nil:
		return Deleted, true
	case children:
		return ChildrenChanged, n.pzxid > since
	}
	return DataChanged, n.mzxid > since
}
