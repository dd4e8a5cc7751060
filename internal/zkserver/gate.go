package zkserver

// gateOf returns what c has to wait for before anything moves on it; nil is
// nothing. The caller holds s.mu.
func (s *Server) gateOf(c *conn) <-chan struct{} {
	if s.gate != nil {
		return s.gate
	}
	return s.isolated[c.sid]
}

// enter locks s.mu for c once the server is not paused, nor c isolated. If it
// returns false, the connection has ended, and s.mu is not locked.
func (s *Server) enter(c *conn) bool {
	for {
		s.mu.Lock()
		gate, dead := s.gateOf(c), c.dead
		if gate == nil && !dead {
			return true
		}
		s.mu.Unlock()
		if dead || !c.await(gate) {
			return false
		}
	}
}

// wait unlocks s.mu until free is closed, and enters again then. It returns
// with s.mu locked; false means that the connection has ended.
func (s *Server) wait(c *conn, free <-chan struct{}) bool {
	s.mu.Unlock()
	if c.await(free) && s.enter(c) {
		return true
	}
	s.mu.Lock()
	return false
}

// waitRunning waits while the server is paused or c isolated; false means that
// the connection ended meanwhile.
func (s *Server) waitRunning(c *conn) bool {
	for {
		s.mu.Lock()
		gate := s.gateOf(c)
		s.mu.Unlock()
		if gate == nil {
			return true
		}
		if !c.await(gate) {
			return false
		}
	}
}
