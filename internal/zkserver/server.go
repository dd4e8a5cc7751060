package zkserver

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// ErrRunning is what [Server.Restart] returns if the server has not been
// stopped.
var ErrRunning = errors.New("zkserver: server is running")

// ErrClosed is what [Server.Restart] returns after [Server.Close].
var ErrClosed = errors.New("zkserver: server is closed")

// errFrameSize ends a connection that sends a frame above Config.MaxFrame.
var errFrameSize = errors.New("zkserver: frame too long")

// A Server is one ZooKeeper server. All of its methods are safe for concurrent
// use.
type Server struct {
	cfg Config

	// life serialises Stop, Restart and Close, which wait for goroutines.
	life   sync.Mutex
	closed bool           // guarded by life
	wg     sync.WaitGroup // accept, reap, and two for each connection

	mu       sync.Mutex
	ln       net.Listener            // nil while stopped
	addr     string                  // of the last listener
	quit     chan struct{}           // closed when the server stops: ends reap
	gate     chan struct{}           // nil while running; closed when a pause ends
	isolated map[int64]chan struct{} // by session; closed by Rejoin
	refusing bool
	tree     *tree.Tree
	sessions *sessions
	watches  *watches[*conn]
	conns    map[*conn]struct{}
	faults   faults
	received int64 // frames
	sent     int64 // frames
}

// Start runs a server with no data until Close. It fails if cfg is invalid or
// the address cannot be listened on.
func Start(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg:      cfg,
		tree:     tree.New(),
		sessions: newSessions(time.Now(), cfg.minTimeout(), cfg.maxTimeout()),
		watches:  newWatches[*conn](),
		conns:    map[*conn]struct{}{},
		isolated: map[int64]chan struct{}{},
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s, nil
}

// run listens and starts the server's own goroutines. The caller holds life,
// or is alone.
func (s *Server) run() error {
	ln, err := s.cfg.listen(s.addr)
	if err != nil {
		return fmt.Errorf("zkserver: listen: %w", err)
	}
	s.mu.Lock()
	s.ln, s.addr, s.quit = ln, ln.Addr().String(), make(chan struct{})
	s.sessions.renew(time.Now())
	quit := s.quit
	s.mu.Unlock()
	s.wg.Go(func() { s.accept(ln, quit) })
	s.wg.Go(func() { s.reap(quit) })
	return nil
}

// Addr returns host:port, which stays the same over restarts.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Stop cuts all connections and stops listening, as a server that is killed;
// the data, and the sessions with their ephemeral nodes, are kept for Restart.
// No time passes for sessions meanwhile. It returns when every goroutine of
// the server has ended. Stopping a stopped server does nothing.
func (s *Server) Stop() {
	s.life.Lock()
	defer s.life.Unlock()
	s.stop()
}

func (s *Server) stop() {
	s.mu.Lock()
	if s.ln != nil {
		s.ln.Close()
		close(s.quit)
		s.ln = nil
	}
	for c := range s.conns {
		c.dead = true
		c.close()
	}
	s.resume()
	s.mu.Unlock()
	s.wg.Wait()
}

// Restart starts a stopped server at the address it had, with the data and
// sessions it had; each session has its full timeout to be resumed in. A
// server that was paused runs again.
func (s *Server) Restart() error {
	s.life.Lock()
	defer s.life.Unlock()
	s.mu.Lock()
	running := s.ln != nil
	s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case running:
		return ErrRunning
	}
	return s.run()
}

// Close stops the server for good and waits for its goroutines. Closing it
// again does nothing.
func (s *Server) Close() {
	s.life.Lock()
	defer s.life.Unlock()
	s.closed = true
	s.stop()
}

// accept serves connections until the listener is closed.
func (s *Server) accept(ln net.Listener, quit chan struct{}) {
	for {
		nc, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no file descriptor left
			select {
			case <-quit:
			case <-time.After(s.cfg.Tick):
			}
			continue
		}
		c := newConn(s, nc)
		s.mu.Lock()
		if s.ln != ln || s.refusing {
			s.mu.Unlock()
			nc.Close()
			continue
		}
		s.conns[c] = struct{}{}
		s.wg.Go(c.read)
		s.wg.Go(c.write)
		s.mu.Unlock()
	}
}

// reap ends sessions whose time is over, at every tick.
func (s *Server) reap(quit chan struct{}) {
	tick := time.NewTicker(s.cfg.Tick)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		if s.gate == nil {
			for _, x := range s.sessions.expired(time.Now()) {
				s.expire(x)
			}
		}
		s.mu.Unlock()
	}
}

// forget removes a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.watches.drop(c)
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
}
