package zkserver

import (
	"errors"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// enter locks s.mu for c once the server is not paused. If it returns false,
// the connection has ended, and s.mu is not locked.
func (s *Server) enter(c *conn) bool {
	for {
		s.mu.Lock()
		gate, dead := s.gate, c.dead
		if gate == nil && !dead {
			return true
		}
		s.mu.Unlock()
		if dead {
			return false
		}
		select {
		case <-gate:
		case <-c.done:
			return false
		}
	}
}

// wait unlocks s.mu until free is closed, and the server is not paused then.
// It returns with s.mu locked; false means that the connection has ended.
func (s *Server) wait(c *conn, free <-chan struct{}) bool {
	s.mu.Unlock()
	select {
	case <-free:
		if s.enter(c) {
			return true
		}
	case <-c.done:
	}
	s.mu.Lock()
	return false
}

// waitRunning waits while the server is paused; false means that the
// connection ended meanwhile.
func (s *Server) waitRunning(c *conn) bool {
	for {
		s.mu.Lock()
		gate := s.gate
		s.mu.Unlock()
		if gate == nil {
			return true
		}
		select {
		case <-gate:
		case <-c.done:
			return false
		}
	}
}

// connect opens or resumes a session for c. It returns false if c is to end.
func (s *Server) connect(c *conn, frame []byte) bool {
	if !s.enter(c) {
		return false
	}
	defer s.mu.Unlock()
	s.received++
	req, err := decodeConnect(frame)
	if err != nil || req.lastZxid > s.tree.Zxid() {
		// A client that has seen more than this server belongs to another.
		return s.cut(c)
	}
	now := time.Now()
	timeout := s.sessions.negotiate(time.Duration(req.timeout) * time.Millisecond)
	var x *session
	if req.session == 0 {
		x = s.sessions.open(now, timeout)
		s.tree.Tick()
	} else {
		if old := s.sessions.byID[req.session]; old != nil && old.conn != nil {
			old.conn.dead = true
			old.conn.close()
		}
		x = s.sessions.resume(now, req.session, req.passwd, timeout)
	}
	s.sent++
	if x == nil {
		c.dead = true
		c.out.put(parcel{frame: connectFrame(req, 0, 0, [16]byte{}), last: true})
		return false
	}
	x.conn, c.session = c, x
	c.out.put(parcel{frame: connectFrame(req, x.id, int32(timeout.Milliseconds()), x.passwd)})
	return true
}

// serve executes one request of c. It returns false if c is to end.
func (s *Server) serve(c *conn, frame []byte) bool {
	req, err := decodeRequest(frame)
	if !s.enter(c) {
		return false
	}
	defer s.mu.Unlock()
	s.received++
	c.session.touch(time.Now())
	f := s.faults.match(c.session.id, req)
	if f.is(cutBefore) {
		return s.cut(c)
	}
	if f.is(hold) && !s.wait(c, f.freed) {
		return false
	}

	var (
		r    *reply
		last bool
	)
	switch {
	case f.is(reject):
		r, last = newReply(req.xid, s.tree.Zxid(), f.code), req.op == OpAuth
	case errors.Is(err, errUnknownOp):
		r, last = newReply(req.xid, noZxid, tree.Unimplemented), true
	case err != nil && req.op == OpAuth:
		return s.cut(c)
	case err != nil:
		if req.op == OpMulti {
			s.tree.Tick() // it has taken its zxid before it is found to be malformed
		}
		r = newReply(req.xid, s.tree.Zxid(), tree.MarshallingError)
	default:
		r, last = s.execute(c, req)
	}
	if f.is(loseReply) {
		return s.cut(c)
	}
	s.sent++
	c.dead = c.dead || last
	p := parcel{frame: r.frame(), last: last}
	if f.is(delayReply) {
		p.delay = f.delay
	}
	c.out.put(p)
	return !last
}

// cut ends c after what is already in its outbox, and returns false.
func (s *Server) cut(c *conn) bool {
	c.dead = true
	c.out.put(parcel{last: true})
	return false
}

// execute runs a request and makes its reply. last says that the connection
// ends with it.
func (s *Server) execute(c *conn, req request) (r *reply, last bool) {
	switch body := req.body.(type) {
	case readBody:
		return s.query(c, req, body), false
	case tree.Op:
		res, events, code := s.tree.Do(c.caller(), time.Now().UnixMilli(), body)
		s.publish(events)
		r = newReply(req.xid, s.tree.Zxid(), code)
		if code == tree.OK {
			r.result(req.op, res)
		}
		return r, false
	case multi:
		results, codes, events := s.tree.Multi(c.caller(), time.Now().UnixMilli(), body.ops)
		s.publish(events)
		r = newReply(req.xid, s.tree.Zxid(), tree.OK)
		r.multi(body.types, results, codes)
		return r, false
	case setWatchesBody:
		s.rearm(c, body)
		return newReply(req.xid, s.tree.Zxid(), tree.OK), false
	case authBody:
		// Auth is answered ahead of the tree, hence with no zxid.
		switch body.scheme {
		case "digest":
			c.prove(tree.DigestID(string(body.auth)))
		case "ip": // proves nothing that isn't known
		default:
			return newReply(req.xid, 0, tree.AuthFailed), true
		}
		return newReply(req.xid, 0, tree.OK), false
	}
	if req.op == OpCloseSession {
		s.end(c.session)
		return newReply(req.xid, s.tree.Zxid(), tree.OK), true
	}
	return newReply(xidPing, s.tree.Zxid(), tree.OK), false
}

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

// noZxid is the zxid of an event that no transaction of this moment caused, and
// of the reply to an unknown operation.
const noZxid = -1

// publish fires the watches that see events.
func (s *Server) publish(events []tree.Event) {
	for _, ev := range events {
		s.watches.fire(ev, func(c *conn) {
			if ev.VisibleTo(c.ids) {
				s.tell(c, ev.Type, ev.Path, ev.Zxid)
			}
		})
	}
}

// tell sends an event to c.
func (s *Server) tell(c *conn, typ tree.EventType, path string, zxid int64) {
	s.sent++
	c.out.put(parcel{frame: eventFrame(typ, path, zxid)})
}

// end removes a session with its ephemeral nodes.
func (s *Server) end(x *session) {
	delete(s.sessions.byID, x.id)
	s.publish(s.tree.CloseSession(x.id, time.Now().UnixMilli()))
}

// expire ends a session, and cuts its connection.
func (s *Server) expire(x *session) {
	s.end(x)
	if x.conn != nil {
		x.conn.dead = true
		x.conn.close()
	}
}
