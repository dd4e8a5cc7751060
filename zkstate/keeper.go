package zkstate

import (
	"context"
	"runtime/debug"
	"slices"
)

// A SessionHandler is told of the end of a session and of the next one. Either
// function may be nil. They're called from one goroutine, one after the other,
// with no lock held, and may use the Client; each must return when its ctx
// ends, which is when the Client is closed. A panic in one is logged, and the
// others are still called.
type SessionHandler struct {
	// BeforeSession is called when the session has expired, before another one
	// is made. Requests fail with ErrSessionExpired in the meantime.
	BeforeSession func(ctx context.Context)

	// AfterSession is called when another session is established.
	AfterSession func(ctx context.Context)
}

// OnSession registers a handler and returns what removes it. The first session
// isn't told of: it's there when Connect returns.
func (c *Client) OnSession(h SessionHandler) (remove func()) {
	p := &h
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handlers = append(slices.Clone(c.handlers), p)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.handlers = slices.DeleteFunc(slices.Clone(c.handlers), func(q *SessionHandler) bool { return q == p })
	}
}

// keep replaces expired sessions until Close. Connect starts it; Close waits.
func (c *Client) keep() {
	s := c.session.Load()
	for {
		select {
		case <-s.expired:
		case <-c.running.Done():
			return
		}
		c.tell(func(h *SessionHandler) func(context.Context) { return h.BeforeSession })
		<-s.ended
		c.work.Go(s.work.Wait)
		next := c.renew(s)
		if next == nil {
			return
		}
		s = next
		if s.established(c.running) {
			c.tell(func(h *SessionHandler) func(context.Context) { return h.AfterSession })
		}
	}
}

// renew puts a new session in the place of old, trying until there is one or
// the Client is closed; then it returns nil.
func (c *Client) renew(old *session) *session {
	for n := 0; c.running.Err() == nil; n++ {
		s, err := newSession(c.cfg, c.servers)
		if err != nil {
			c.cfg.Logger.Warn().Err(err).Msg("zookeeper: can't make a session, trying on")
			if redial.wait(c.running, n) != nil {
				return nil
			}
			continue
		}
		c.mu.Lock()
		closed := c.closed
		if !closed {
			c.session.Store(s)
		}
		c.mu.Unlock()
		if closed {
			s.close()
			return nil
		}
		old.mu.Lock()
		old.notify() // who waits on the old one looks at the new one
		old.mu.Unlock()
		return s
	}
	return nil
}

// established waits until the session was granted. It reports false if the
// session or ctx ends first.
func (s *session) established(ctx context.Context) bool {
	for {
		is := s.look()
		if is.connected || is.gone != nil {
			return is.connected
		}
		select {
		case <-is.changed:
		case <-ctx.Done():
			return false
		}
	}
}

// tell calls one function of every handler.
func (c *Client) tell(which func(*SessionHandler) func(context.Context)) {
	c.mu.Lock()
	handlers := c.handlers
	c.mu.Unlock()
	for _, h := range handlers {
		if f := which(h); f != nil && c.running.Err() == nil {
			c.isolate(f)
		}
	}
}

// isolate calls f and keeps its panic from the others.
func (c *Client) isolate(f func(context.Context)) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Logger.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("zookeeper: a session handler panicked")
		}
	}()
	f(c.running)
}
