package zkserver

import "github.com/kspout/kspout/internal/zkserver/tree"

// query runs a read, and arms its watch.
func (s *Server) query(c *conn, req request, body readBody) *reply {
	var (
		who   = c.caller()
		kind  = watchData
		stat  tree.Stat
		code  tree.Code
		write func(r *reply)
	)
	switch req.op {
	case OpExists:
		stat, code = s.tree.Exists(who, body.path)
		write = func(r *reply) { r.stat(stat) }
	case OpGetData:
		var data []byte
		data, stat, code = s.tree.Get(who, body.path)
		write = func(r *reply) { r.Buffer(data); r.stat(stat) }
	case OpGetACL:
		var acl []tree.ACL
		acl, stat, code = s.tree.ACL(who, body.path)
		write = func(r *reply) { r.acl(acl); r.stat(stat) }
	case OpGetChildren, OpGetChildren2:
		var names []string
		kind = watchChild
		names, stat, code = s.tree.Children(who, body.path)
		write = func(r *reply) {
			r.Strings(names)
			if req.op == OpGetChildren2 {
				r.stat(stat)
			}
		}
	case OpSync:
		write = func(r *reply) { r.String(body.path) }
	}
	if body.watch && (code == tree.OK || code == tree.NoNode && req.op == OpExists) {
		s.watches.add(kind, body.path, c)
	}
	r := newReply(req.xid, s.tree.Zxid(), code)
	if code == tree.OK {
		write(r)
	}
	return r
}

// rearm arms the watches that a client had on its connection before, or fires
// those that have missed their event since.
func (s *Server) rearm(c *conn, body setWatchesBody) {
	each := func(paths []string, created, children bool, kind watchKind) {
		for _, path := range paths {
			if typ, missed := s.tree.Missed(path, body.since, created, children); missed {
				s.tell(c, typ, path, noZxid)
			} else {
				s.watches.add(kind, path, c)
			}
		}
	}
	each(body.data, false, false, watchData)
	each(body.exists, true, false, watchData)
	each(body.children, false, true, watchChild)
}
