package zkstate

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-zookeeper/zk"
)

// AnyVersion stands for a version in a request: whatever is stored.
const AnyVersion int32 = -1

// A Request is one of the types of this file. [Client.Do] sends it; its
// response has the type named at each.
//
// Paths start with '/' and lie below the chroot, if there is one. Data and ACLs
// are copied by Do, so they're the caller's again when it returns.
type Request interface {
	op() string                               // its name, for messages
	node() string                             // the path, for messages
	size() int                                // bytes of the frame, as sent
	own() Request                             // a copy that shares nothing with the caller
	call(conn *zk.Conn, root string) Response // sends it and waits for the answer
	fail(err error) Response                  // the response that tells of err
}

// An Op is a request that can be part of a [Multi]: Create, Set, Delete, Check.
type Op interface {
	op() string
	node() string
	opSize() int          // bytes within a multi's frame
	ownOp() Op            // as own of Request
	wire(root string) any // the library's form
}

// Create makes a node. Its response is a [*CreateResponse].
type Create struct {
	Path string
	Data []byte
	ACL  []ACL // nil: everybody may do everything

	// Ephemeral ties the node to the session. Sequential appends a number of
	// ten digits that grows with each child of the parent.
	Ephemeral, Sequential bool
}

// Delete removes a node without children. Its response is a [*DeleteResponse].
type Delete struct {
	Path    string
	Version int32 // expected, or AnyVersion
}

// Exists looks at a node. Its response is an [*ExistsResponse].
type Exists struct{ Path string }

// Get reads a node. Its response is a [*GetResponse].
type Get struct{ Path string }

// Set replaces a node's data. Its response is a [*SetResponse].
type Set struct {
	Path    string
	Data    []byte
	Version int32 // expected, or AnyVersion
}

// Children lists a node's children. Its response is a [*ChildrenResponse].
type Children struct{ Path string }

// Sync waits until the server has seen all that was committed when the request
// reached the leader. A read after it in the same batch sees at least that. Its
// response is a [*SyncResponse].
type Sync struct{ Path string }

// GetACL reads a node's ACL. Its response is a [*GetACLResponse].
type GetACL struct{ Path string }

// SetACL replaces a node's ACL. Its response is a [*SetACLResponse].
type SetACL struct {
	Path    string
	ACL     []ACL
	Version int32 // expected version of the ACL, or AnyVersion
}

// Check is an operation of a [Multi]: it fails unless the node has this
// version. A check of an ephemeral node is no fence: versions start at 0 again
// when it's created again.
type Check struct {
	Path    string
	Version int32
}

// Multi applies all of its operations or none. Its response is a
// [*MultiResponse].
type Multi struct{ Ops []Op }

func (r Create) op() string   { return "create" }
func (r Delete) op() string   { return "delete" }
func (r Exists) op() string   { return "exists" }
func (r Get) op() string      { return "get" }
func (r Set) op() string      { return "set" }
func (r Children) op() string { return "children" }
func (r Sync) op() string     { return "sync" }
func (r GetACL) op() string   { return "get acl" }
func (r SetACL) op() string   { return "set acl" }
func (r Check) op() string    { return "check" }
func (r Multi) op() string    { return "multi" }

func (r Create) node() string   { return r.Path }
func (r Delete) node() string   { return r.Path }
func (r Exists) node() string   { return r.Path }
func (r Get) node() string      { return r.Path }
func (r Set) node() string      { return r.Path }
func (r Children) node() string { return r.Path }
func (r Sync) node() string     { return r.Path }
func (r GetACL) node() string   { return r.Path }
func (r SetACL) node() string   { return r.Path }
func (r Check) node() string    { return r.Path }
func (r Multi) node() string    { return "" }

func (r Create) own() Request {
	r.Data, r.ACL = bytes.Clone(r.Data), slices.Clone(r.ACL)
	return r
}

func (r Set) own() Request {
	r.Data = bytes.Clone(r.Data)
	return r
}

func (r SetACL) own() Request {
	r.ACL = slices.Clone(r.ACL)
	return r
}

func (r Multi) own() Request {
	ops := make([]Op, len(r.Ops))
	for i, op := range r.Ops {
		ops[i] = op.ownOp()
	}
	r.Ops = ops
	return r
}

func (r Delete) own() Request   { return r }
func (r Exists) own() Request   { return r }
func (r Get) own() Request      { return r }
func (r Children) own() Request { return r }
func (r Sync) own() Request     { return r }
func (r GetACL) own() Request   { return r }

func (r Create) ownOp() Op { return r.own().(Create) }
func (r Set) ownOp() Op    { return r.own().(Set) }
func (r Delete) ownOp() Op { return r }
func (r Check) ownOp() Op  { return r }

// errNoPath refuses what the library would take, with a chroot before it, for
// the chroot itself.
var errNoPath = errors.New("a path starts with '/'")

// checkPaths says what is wrong with the paths of r, or nil. The library looks
// at the rest.
func checkPaths(r Request) error {
	if m, ok := r.(Multi); ok {
		for i, op := range m.Ops {
			if !rooted(op.node()) {
				return &MultiError{Index: i, Of: len(m.Ops), Op: op.op(), Path: op.node(), Err: errNoPath}
			}
		}
		return nil
	}
	if !rooted(r.node()) {
		return errNoPath
	}
	return nil
}

func rooted(path string) bool { return path != "" && path[0] == '/' }

// under returns path below root.
func under(root, path string) string {
	if root == "" {
		return path
	}
	if path == "/" {
		return root
	}
	return root + path
}
