package zkserver

import (
	"errors"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// connect opens or resumes a session for c. It returns false if c is to end.
func (s *Server) connect(c *conn, frame []byte) bool {
	req, err := decodeConnect(frame)
	s.mu.Lock()
	c.sid = req.session // which may be isolated
	s.mu.Unlock()
	if !s.enter(c) {
		return false
	}
	defer s.mu.Unlock()
	s.received++
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
	x.conn, c.session, c.sid = c, x, x.id
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

// expire ends a session, and cuts its connection; one that is isolated learns
// of it when it isn't any more.
func (s *Server) expire(x *session) {
	s.end(x)
	switch {
	case x.conn == nil:
	case s.isolated[x.id] != nil:
		s.cut(x.conn)
	default:
		x.conn.dead = true
		x.conn.close()
	}
}
