package zkstate

import "strings"

// A Response answers one [Request]. Err is nil, or an [*Error]; if it isn't nil,
// nothing else in the response means anything.
type Response interface {
	Err() error
}

// An outcome is the part that all responses share.
type outcome struct{ err error }

// Err returns why the request failed, or nil.
func (o *outcome) Err() error { return o.err }

type (
	// CreateResponse answers a [Create].
	CreateResponse struct {
		outcome
		Path string // with the number, if it's sequential
	}

	// DeleteResponse answers a [Delete].
	DeleteResponse struct{ outcome }

	// ExistsResponse answers an [Exists]. A missing node is ErrNoNode.
	ExistsResponse struct {
		outcome
		Stat Stat
	}

	// GetResponse answers a [Get]. Data is the caller's.
	GetResponse struct {
		outcome
		Data []byte
		Stat Stat
	}

	// SetResponse answers a [Set].
	SetResponse struct {
		outcome
		Stat Stat
	}

	// ChildrenResponse answers a [Children].
	ChildrenResponse struct {
		outcome
		Names []string // not paths, in no order
		Stat  Stat     // of the parent
	}

	// SyncResponse answers a [Sync].
	SyncResponse struct{ outcome }

	// GetACLResponse answers a [GetACL].
	GetACLResponse struct {
		outcome
		ACL  []ACL
		Stat Stat
	}

	// SetACLResponse answers a [SetACL].
	SetACLResponse struct {
		outcome
		Stat Stat
	}

	// MultiResponse answers a [Multi]. If it failed, Err holds a [*MultiError]
	// where an operation is to blame, and Results is nil.
	MultiResponse struct {
		outcome
		Results []OpResult // in the order of the operations
	}
)

// An OpResult is what an applied operation of a [Multi] gave.
type OpResult struct {
	Path string // of a Create: the node's path
	Stat *Stat  // of a Set
}

// A Stat is what ZooKeeper knows of a node beside its data.
type Stat struct {
	Czxid          int64 // transaction that created it
	Mzxid          int64 // transaction that last set its data
	Ctime          int64 // creation, in Unix ms of the leader's clock
	Mtime          int64 // last set, in Unix ms of the leader's clock
	Version        int32 // times its data was set
	Cversion       int32 // changes to its children
	Aversion       int32 // times its ACL was set
	EphemeralOwner int64 // id of the session it's tied to, or 0
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // transaction that last changed its children
}

// An ACL permits something to somebody.
type ACL struct {
	Perms  int32 // the sum of Perm…
	Scheme string
	ID     string
}

// Permissions of an [ACL].
const (
	PermRead   int32 = 1
	PermWrite  int32 = 2
	PermCreate int32 = 4
	PermDelete int32 = 8
	PermAdmin  int32 = 16
	PermAll    int32 = 31
)

// OpenACL permits everything to everybody.
func OpenACL() []ACL { return []ACL{{PermAll, "world", "anyone"}} }

// below returns path without root: what the caller knows a node as.
func below(root, path string) string {
	rest := strings.TrimPrefix(path, root)
	if rest == "" {
		return "/"
	}
	return rest
}
