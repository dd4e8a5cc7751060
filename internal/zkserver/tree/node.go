package tree

import (
	"maps"
	"slices"
)

// A Stat is what ZooKeeper tells about a node. Times are in milliseconds since
// the Unix epoch.
type Stat struct {
	Czxid, Mzxid                int64 // of its creation, of its last SetData
	Ctime, Mtime                int64
	Version, Cversion, Aversion int32 // changes of data, of children, of the ACL
	EphemeralOwner              int64 // the session, or 0
	DataLength, NumChildren     int32
	Pzxid                       int64 // of the last creation or deletion of a child
}

// A node is one znode.
type node struct {
	data []byte // nil is kept apart from empty: clients see the difference
	acl  []ACL  // never changed in place

	czxid, mzxid, pzxid int64
	ctime, mtime        int64
	version, aversion   int32

	// creates counts the children ever created. It is the number that the next
	// sequential child gets; the cversion that clients see is made from it.
	creates int32

	owner    int64 // session of an ephemeral node, else 0
	children map[string]struct{}
}

// stat returns the node's Stat. A change of the children is a creation or a
// deletion, and of those created the ones that are gone were deleted: hence
// Cversion, which is negative for nodes whose children were never created.
func (n *node) stat() Stat {
	kids := int32(len(n.children))
	return Stat{
		Czxid: n.czxid, Mzxid: n.mzxid, Ctime: n.ctime, Mtime: n.mtime,
		Version: n.version, Cversion: n.creates*2 - kids, Aversion: n.aversion,
		EphemeralOwner: n.owner, DataLength: int32(len(n.data)), NumChildren: kids, Pzxid: n.pzxid,
	}
}

// names returns the names of the children, sorted.
func (n *node) names() []string { return slices.Sorted(maps.Keys(n.children)) }
