package zkstate

import (
	"context"
	"net"
	"time"
)

// greeted notes a connect reply.
func (s *session) greeted(h hello) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted = h
	now := time.Now()
	if now.Sub(s.goodAt) > time.Second {
		s.failures = 0
	}
	s.goodAt = now
}

// Pauses between attempts to connect, once every server was tried.
var redial = backoff{base: 50 * time.Millisecond, limit: 2 * time.Second}

// dial is the library's Dialer. It waits before each attempt after the first
// round over the servers, for as long as the session is wanted.
func (s *session) dial(network, address string, _ time.Duration) (net.Conn, error) {
	s.mu.Lock()
	n := s.failures/s.hosts - 1
	s.failures++
	s.mu.Unlock()
	if n >= 0 {
		b := redial
		b.limit = max(b.base, min(b.limit, s.cfg.SessionTimeout/4))
		if err := b.wait(s.alive, n); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(s.alive, s.dialBound())
	defer cancel()
	conn, err := s.cfg.Dial(ctx, network, address)
	s.mu.Lock()
	first := s.dialErr == nil
	s.dialErr = err
	if err != nil {
		s.mu.Unlock()
		if first && s.alive.Err() == nil {
			s.log.Warn().Err(err).Str("server", address).Msg("zookeeper: can't connect, trying on")
		}
		return nil, err
	}
	s.gen++
	w := &wire{Conn: conn, session: s, gen: s.gen, reply: make([]byte, 0, 64)}
	s.wire = w
	s.mu.Unlock()
	if err := conn.SetReadDeadline(time.Now().Add(s.helloBound())); err != nil {
		conn.Close()
		return nil, err
	}
	return w, nil
}

// dialBound bounds one dial: all servers have their turn in a third of the
// session timeout, unless that leaves less than a second for each.
func (s *session) dialBound() time.Duration {
	return max(time.Second, s.cfg.SessionTimeout/time.Duration(3*s.hosts))
}

// helloBound bounds the time from a connection to the connect reply.
func (s *session) helloBound() time.Duration { return max(time.Second, s.cfg.SessionTimeout/3) }

// lastDialErr returns why the newest attempt to connect failed, or nil.
func (s *session) lastDialErr() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialErr
}
