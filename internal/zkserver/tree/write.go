package tree

import (
	"fmt"
	"slices"
)

// A txn is one write in the making.
type txn struct {
	Caller
	zxid, now int64
	events    []Event
	undo      []func() // takes the changes back, last first
}

func (tx *txn) event(typ EventType, path string, n *node) {
	tx.events = append(tx.events, Event{typ, path, tx.zxid, n.acl})
}

func (tx *txn) rollback() {
	for _, f := range slices.Backward(tx.undo) {
		f()
	}
}

// begin takes the next zxid for a write at now, in milliseconds since the
// epoch.
func (t *Tree) begin(c Caller, now int64) *txn {
	t.zxid++
	return &txn{Caller: c, zxid: t.zxid, now: now}
}

// Do runs one write at now, in milliseconds since the Unix epoch. A write that
// fails changes nothing but the zxid.
func (t *Tree) Do(c Caller, now int64, op Op) (Result, []Event, Code) {
	tx := t.begin(c, now)
	res, code := op.apply(t, tx)
	return res, tx.events, code
}

// Multi runs all of ops, or none: then every code before the failed
// operation's is OK, its own says why, and those after it are
// RuntimeInconsistency. results and codes have the length of ops.
func (t *Tree) Multi(c Caller, now int64, ops []Op) (results []Result, codes []Code, events []Event) {
	tx := t.begin(c, now)
	results, codes = make([]Result, len(ops)), make([]Code, len(ops))
	for i, op := range ops {
		results[i], codes[i] = op.apply(t, tx)
		if codes[i] == OK {
			continue
		}
		tx.rollback()
		clear(results)
		for j := i + 1; j < len(codes); j++ {
			codes[j] = RuntimeInconsistency
		}
		return results, codes, nil
	}
	return results, codes, tx.events
}

// CloseSession deletes the ephemeral nodes of a session, in one transaction.
func (t *Tree) CloseSession(session, now int64) []Event {
	tx := t.begin(Caller{Session: session}, now)
	for _, path := range slices.Sorted(slices.Values(t.Ephemerals(session))) {
		dir, _ := parent(path)
		t.remove(tx, path, t.nodes[path], dir, t.nodes[dir])
	}
	return tx.events
}

func (op Create) apply(t *Tree, tx *txn) (Result, Code) {
	switch {
	case !op.Mode.Known():
		return Result{}, BadArguments
	case op.Mode&^(Ephemeral|Sequential) != 0: // containers and TTL nodes
		return Result{}, Unimplemented
	}
	dir, ok := parent(op.Path)
	if !ok {
		return Result{}, BadArguments
	}
	acl, code := resolve(op.ACL, tx.IDs)
	if code != OK {
		return Result{}, code
	}
	up := t.nodes[dir]
	if up == nil {
		return Result{}, NoNode
	}
	if !allowed(up.acl, CreateChild, tx.IDs) {
		return Result{}, NoAuth
	}
	path := op.Path
	if op.Mode&Sequential != 0 {
		path += fmt.Sprintf("%010d", up.creates)
	}
	switch {
	case !valid(path):
		return Result{}, BadArguments
	case t.nodes[path] != nil:
		return Result{}, NodeExists
	case up.owner != 0:
		return Result{}, NoChildrenForEphemerals
	}

	n := &node{
		data: op.Data, acl: acl,
		czxid: tx.zxid, mzxid: tx.zxid, pzxid: tx.zxid, ctime: tx.now, mtime: tx.now,
	}
	if op.Mode&Ephemeral != 0 {
		n.owner = tx.Session
	}
	creates, pzxid := up.creates, up.pzxid
	tx.undo = append(tx.undo, func() {
		t.unlink(path, n)
		up.creates, up.pzxid = creates, pzxid
	})
	t.link(path, n)
	up.creates++
	up.pzxid = tx.zxid
	tx.event(Created, path, n)
	tx.event(ChildrenChanged, dir, up)
	return Result{path, n.stat()}, OK
}

func (op Delete) apply(t *Tree, tx *txn) (Result, Code) {
	dir, ok := parent(op.Path)
	if !ok || slices.Contains(special, op.Path) {
		return Result{}, BadArguments
	}
	up := t.nodes[dir]
	if up == nil {
		return Result{}, NoNode
	}
	if !allowed(up.acl, DeleteChild, tx.IDs) {
		return Result{}, NoAuth
	}
	n := t.nodes[op.Path]
	switch {
	case n == nil:
		return Result{}, NoNode
	case op.Version != -1 && op.Version != n.version:
		return Result{}, BadVersion
	case len(n.children) > 0:
		return Result{}, NotEmpty
	}
	t.remove(tx, op.Path, n, dir, up)
	return Result{}, OK
}

// remove deletes the node n at path, below up at dir.
func (t *Tree) remove(tx *txn, path string, n *node, dir string, up *node) {
	pzxid := up.pzxid
	tx.undo = append(tx.undo, func() {
		t.link(path, n)
		up.pzxid = pzxid
	})
	t.unlink(path, n)
	up.pzxid = tx.zxid
	tx.event(Deleted, path, n)
	tx.event(ChildrenChanged, dir, up)
}

// target returns the node at path for a write that needs perm on it.
func (t *Tree) target(tx *txn, path string, perm int32) (*node, Code) {
	if !valid(path) {
		return nil, BadArguments
	}
	return t.readable(tx.Caller, path, perm)
}

func (op SetData) apply(t *Tree, tx *txn) (Result, Code) {
	n, code := t.target(tx, op.Path, Write)
	if code != OK {
		return Result{}, code
	}
	if op.Version != -1 && op.Version != n.version {
		return Result{}, BadVersion
	}
	data, version, mzxid, mtime := n.data, n.version, n.mzxid, n.mtime
	tx.undo = append(tx.undo, func() {
		n.data, n.version, n.mzxid, n.mtime = data, version, mzxid, mtime
	})
	n.data, n.mzxid, n.mtime = op.Data, tx.zxid, tx.now
	n.version++
	tx.event(DataChanged, op.Path, n)
	return Result{Stat: n.stat()}, OK
}

func (op SetACL) apply(t *Tree, tx *txn) (Result, Code) {
	if !valid(op.Path) {
		return Result{}, BadArguments
	}
	acl, code := resolve(op.ACL, tx.IDs)
	if code != OK {
		return Result{}, code
	}
	n, code := t.target(tx, op.Path, Admin)
	if code != OK {
		return Result{}, code
	}
	if op.Version != -1 && op.Version != n.aversion {
		return Result{}, BadVersion
	}
	before, aversion := n.acl, n.aversion
	tx.undo = append(tx.undo, func() { n.acl, n.aversion = before, aversion })
	n.acl = acl
	n.aversion++
	return Result{Stat: n.stat()}, OK
}

func (op Check) apply(t *Tree, tx *txn) (Result, Code) {
	n, code := t.target(tx, op.Path, Read)
	if code != OK {
		return Result{}, code
	}
	if op.Version != -1 && op.Version != n.version {
		return Result{}, BadVersion
	}
	return Result{}, OK
}
