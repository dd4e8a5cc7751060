package tree

import (
	"maps"
	"slices"
)

// A Tree holds the nodes.
type Tree struct {
	// nodes are all nodes by path.
	//
	// Invariant: every node but "/" has a parent, whose children hold exactly
	// the names of the nodes below it; no ephemeral node has children.
	nodes map[string]*node

	// ephemerals are the paths of the ephemeral nodes by session.
	//
	// Invariant: exactly the nodes with an owner, and no empty set.
	ephemerals map[int64]map[string]struct{}

	// zxid is that of the last write, failed ones included. It only grows.
	zxid int64
}

// New returns the tree of a fresh server: "/", "/zookeeper", and below that
// "config" and "quota".
func New() *Tree {
	t := &Tree{nodes: map[string]*node{}, ephemerals: map[int64]map[string]struct{}{}}
	for _, path := range special {
		t.nodes[path] = &node{data: []byte{}, acl: Anyone()}
		if dir, _ := parent(path); dir != path {
			t.nodes[dir].adopt(base(path))
		}
	}
	config := t.nodes["/zookeeper/config"]
	config.acl, config.aversion = []ACL{{Read, ID{"world", "anyone"}}}, -1
	return t
}

// adopt enters name among the children of n.
func (n *node) adopt(name string) {
	if n.children == nil {
		n.children = map[string]struct{}{}
	}
	n.children[name] = struct{}{}
}

// Zxid returns the zxid of the last write.
func (t *Tree) Zxid() int64 { return t.zxid }

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Tick takes a zxid for a transaction that touches no node: the start of a
// session.
func (t *Tree) Tick() { t.zxid++ }

// node returns the node at path, or nil. The empty path names the root.
func (t *Tree) node(path string) *node { return t.nodes[root(path)] }

// link enters n, whose parent exists, at path.
func (t *Tree) link(path string, n *node) {
	dir, _ := parent(path)
	t.nodes[path] = n
	t.nodes[dir].adopt(base(path))
	if n.owner != 0 {
		if t.ephemerals[n.owner] == nil {
			t.ephemerals[n.owner] = map[string]struct{}{}
		}
		t.ephemerals[n.owner][path] = struct{}{}
	}
}

// unlink removes the node n at path.
func (t *Tree) unlink(path string, n *node) {
	dir, _ := parent(path)
	delete(t.nodes, path)
	delete(t.nodes[dir].children, base(path))
	if n.owner != 0 {
		delete(t.ephemerals[n.owner], path)
		if len(t.ephemerals[n.owner]) == 0 {
			delete(t.ephemerals, n.owner)
		}
	}
}

// Ephemerals returns the paths of a session's ephemeral nodes, in no order.
func (t *Tree) Ephemerals(session int64) []string {
	return slices.Collect(maps.Keys(t.ephemerals[session]))
}
