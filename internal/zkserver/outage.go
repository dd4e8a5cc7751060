package zkserver

import "time"

// ExpireSession ends a session as if its time were over: its ephemeral nodes
// go, its connection is cut, and who tries to resume it is told that it's gone.
// It reports whether there was such a session.
func (s *Server) ExpireSession(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions.byID[id]
	if x != nil {
		s.expire(x)
	}
	return x != nil
}

// DropConn cuts the connection of a session, which lives on until it times
// out. Replies that have not been sent are lost. It reports whether the
// session had a connection.
func (s *Server) DropConn(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions.byID[id]
	if x == nil || x.conn == nil {
		return false
	}
	x.conn.dead = true
	x.conn.close()
	return true
}

// Pause freezes the server, as a process that is stopped: connections stay
// open and are accepted, but nothing is executed or sent, and no time passes
// for sessions.
func (s *Server) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate == nil {
		s.gate = make(chan struct{})
	}
}

// Resume ends a pause; each session has its full timeout again.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resume()
}

func (s *Server) resume() {
	if s.gate != nil {
		close(s.gate)
		s.gate = nil
		s.sessions.renew(time.Now())
	}
}

// Isolate cuts a session's client off, as a network that loses every packet:
// its connection stays open, but nothing is received or sent on it, nor on one
// with which the client tries to resume the session, until [Server.Rejoin]. The
// session's time goes on, and ends it. A new session of the same client is not
// concerned.
func (s *Server) Isolate(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != 0 && s.isolated[id] == nil {
		s.isolated[id] = make(chan struct{})
	}
}

// Rejoin ends the isolation of a session. What was under way arrives now; if
// the session has ended meanwhile, its client learns it now.
func (s *Server) Rejoin(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.isolated[id]; ch != nil {
		close(ch)
		delete(s.isolated, id)
	}
}

// RefuseDials says whether new connections are cut as soon as they are made.
// Those that exist aren't touched.
func (s *Server) RefuseDials(refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusing = refuse
}
