package zkstate

import (
	"github.com/go-zookeeper/zk"
)

// This file translates requests into calls of the library, and its results into
// responses. The calls block until the answer comes or the connection ends.

// errOf wraps what the library returned for r; nil stays nil.
func errOf(r Request, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: r.op(), Path: r.node(), Err: cause(err)}
}

func (r Create) call(conn *zk.Conn, root string) Response {
	path, err := conn.Create(under(root, r.Path), r.Data, r.flags(), libACL(r.ACL))
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &CreateResponse{Path: below(root, path)}
}

func (r Create) flags() int32 {
	var f int32
	if r.Ephemeral {
		f |= zk.FlagEphemeral
	}
	if r.Sequential {
		f |= zk.FlagSequence
	}
	return f
}

func (r Delete) call(conn *zk.Conn, root string) Response {
	return r.fail(errOf(r, conn.Delete(under(root, r.Path), r.Version)))
}

func (r Exists) call(conn *zk.Conn, root string) Response {
	ok, stat, err := conn.Exists(under(root, r.Path))
	if err == nil && !ok {
		err = zk.ErrNoNode
	}
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &ExistsResponse{Stat: Stat(*stat)}
}

func (r Get) call(conn *zk.Conn, root string) Response {
	data, stat, err := conn.Get(under(root, r.Path))
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &GetResponse{Data: data, Stat: Stat(*stat)}
}

func (r Set) call(conn *zk.Conn, root string) Response {
	stat, err := conn.Set(under(root, r.Path), r.Data, r.Version)
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &SetResponse{Stat: Stat(*stat)}
}

func (r Children) call(conn *zk.Conn, root string) Response {
	names, stat, err := conn.Children(under(root, r.Path))
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &ChildrenResponse{Names: names, Stat: Stat(*stat)}
}

func (r Sync) call(conn *zk.Conn, root string) Response {
	_, err := conn.Sync(under(root, r.Path))
	return r.fail(errOf(r, err))
}

func (r GetACL) call(conn *zk.Conn, root string) Response {
	acl, stat, err := conn.GetACL(under(root, r.Path))
	if err != nil {
		return r.fail(errOf(r, err))
	}
	resp := &GetACLResponse{Stat: Stat(*stat), ACL: make([]ACL, len(acl))}
	for i, a := range acl {
		resp.ACL[i] = ACL(a)
	}
	return resp
}

func (r SetACL) call(conn *zk.Conn, root string) Response {
	stat, err := conn.SetACL(under(root, r.Path), libACL(r.ACL), r.Version)
	if err != nil {
		return r.fail(errOf(r, err))
	}
	return &SetACLResponse{Stat: Stat(*stat)}
}

// call of a multi trusts only the first error among the results: the library
// reports nil for what was rolled back before it, and a code for what was never
// tried after it.
func (r Multi) call(conn *zk.Conn, root string) Response {
	ops := make([]any, len(r.Ops))
	for i, op := range r.Ops {
		ops[i] = op.wire(root)
	}
	results, err := conn.Multi(ops...)
	for i, res := range results {
		if res.Error != nil && i < len(r.Ops) {
			return r.fail(&Error{Op: r.op(), Err: &MultiError{
				Index: i, Of: len(r.Ops), Op: r.Ops[i].op(), Path: r.Ops[i].node(), Err: cause(res.Error),
			}})
		}
	}
	if err != nil {
		return r.fail(errOf(r, err))
	}
	resp := &MultiResponse{Results: make([]OpResult, len(r.Ops))}
	for i, res := range results {
		if _, ok := r.Ops[i].(Create); ok {
			resp.Results[i].Path = below(root, res.String)
		}
		if res.Stat != nil {
			s := Stat(*res.Stat)
			resp.Results[i].Stat = &s
		}
	}
	return resp
}

func (r Create) wire(root string) any {
	return &zk.CreateRequest{Path: under(root, r.Path), Data: r.Data, Acl: libACL(r.ACL), Flags: r.flags()}
}

func (r Set) wire(root string) any {
	return &zk.SetDataRequest{Path: under(root, r.Path), Data: r.Data, Version: r.Version}
}

func (r Delete) wire(root string) any {
	return &zk.DeleteRequest{Path: under(root, r.Path), Version: r.Version}
}

func (r Check) wire(root string) any {
	return &zk.CheckVersionRequest{Path: under(root, r.Path), Version: r.Version}
}

func (r Create) fail(err error) Response   { return &CreateResponse{outcome: outcome{err}} }
func (r Delete) fail(err error) Response   { return &DeleteResponse{outcome{err}} }
func (r Exists) fail(err error) Response   { return &ExistsResponse{outcome: outcome{err}} }
func (r Get) fail(err error) Response      { return &GetResponse{outcome: outcome{err}} }
func (r Set) fail(err error) Response      { return &SetResponse{outcome: outcome{err}} }
func (r Children) fail(err error) Response { return &ChildrenResponse{outcome: outcome{err}} }
func (r Sync) fail(err error) Response     { return &SyncResponse{outcome{err}} }
func (r GetACL) fail(err error) Response   { return &GetACLResponse{outcome: outcome{err}} }
func (r SetACL) fail(err error) Response   { return &SetACLResponse{outcome: outcome{err}} }
func (r Multi) fail(err error) Response    { return &MultiResponse{outcome: outcome{err}} }

// openACL is what a nil ACL stands for. Never changed.
var openACL = zk.WorldACL(zk.PermAll)

func libACL(l []ACL) []zk.ACL {
	if l == nil {
		return openACL
	}
	out := make([]zk.ACL, len(l))
	for i, a := range l {
		out[i] = zk.ACL(a)
	}
	return out
}
