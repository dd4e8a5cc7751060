package zkstate

// This file holds the turn: how one request at a time gets from a call of the
// library onto the wire. Whoever took the token of session.turn launches; the
// token is back when the frame is out or the call returned without one.

// strand answers the request that was launched and isn't on the wire yet. The
// library may still write it, on this connection or the next one, where
// frameStarts refuses it. s.mu is held.
func (s *session) strand() {
	if c := s.launched; c != nil {
		req := c.request()
		c.deliver(req.fail(unsent(req, ErrConnectionLoss)))
	}
}

// launch notes that c has the turn, unless its connection is over; then it
// returns why, and the turn is free.
func (s *session) launch(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	switch {
	case s.gone != nil:
		err = s.gone
	case !s.connected || c.gen != s.gen:
		err = ErrConnectionLoss
	}
	if err != nil {
		s.turn <- struct{}{}
		return err
	}
	s.launched, s.begun = c, false
	return nil
}

// frameStarts reports whether a request's frame may be written on connection
// gen. The frame is that of the launched request, as there is only one. It may
// not if its caller was told that it isn't sent: see strand.
func (s *session) frameStarts(gen int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.launched == nil || s.launched.gen != gen || s.launched.answered.Load() {
		return false
	}
	s.launched, s.begun = nil, true
	return true
}

// frameWritten gives the turn back.
func (s *session) frameWritten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		s.begun = false
		s.turn <- struct{}{}
	}
}

// returned gives the turn back if c's call ended without a frame.
func (s *session) returned(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.launched == c {
		s.launched = nil
		s.turn <- struct{}{}
	}
}
