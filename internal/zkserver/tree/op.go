package tree

// A Caller is on whose behalf an operation runs.
type Caller struct {
	Session int64
	IDs     []ID // what the connection has proved to be
}

// An Op is a write: [Create], [Delete], [SetData], [SetACL] or [Check].
type Op interface {
	apply(t *Tree, tx *txn) (Result, Code)
}

// A Mode is what kind of node a [Create] makes; the bits may be or-ed.
type Mode int32

// The bits of a Mode. Other bits are bad arguments, or kinds of nodes that
// are not implemented.
const (
	Ephemeral  Mode = 1
	Sequential Mode = 2
)

// Known reports whether ZooKeeper knows the mode, implemented here or not.
func (m Mode) Known() bool { return 0 <= m && m <= 6 }

// Create makes a node. A sequential one gets ten digits appended to its path.
type Create struct {
	Path string
	Data []byte // kept by the tree, not copied
	ACL  []ACL
	Mode Mode
}

// Delete removes a node without children whose version is Version; -1 is any.
type Delete struct {
	Path    string
	Version int32
}

// SetData replaces the data of a node whose version is Version; -1 is any.
type SetData struct {
	Path    string
	Data    []byte // kept by the tree, not copied
	Version int32
}

// SetACL replaces the ACL of a node whose ACL version is Version; -1 is any.
// It cannot be part of a multi.
type SetACL struct {
	Path    string
	ACL     []ACL
	Version int32
}

// Check succeeds if the version of a node is Version; -1 is any.
type Check struct {
	Path    string
	Version int32
}

// A Result is what a write answers: Create sets both fields, SetData and
// SetACL the Stat.
type Result struct {
	Path string
	Stat Stat
}

// An EventType says what happened to the node of an [Event].
type EventType int32

// The types of events, by their numbers in the protocol.
const (
	Created         EventType = 1
	Deleted         EventType = 2
	DataChanged     EventType = 3
	ChildrenChanged EventType = 4
)

// An Event is a change that watches can see. Watches on data (and on
// existence) see Created, DataChanged and Deleted; watches on children see
// ChildrenChanged and Deleted.
type Event struct {
	Type EventType
	Path string
	Zxid int64 // of the change
	ACL  []ACL // of the node: see [Event.VisibleTo]
}

// VisibleTo reports whether someone known by ids may learn of the event: they
// need Read on the node (CVE-2024-23944).
func (e Event) VisibleTo(ids []ID) bool { return allowed(e.ACL, Read, ids) }
