package zkstate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/rs/zerolog"
)

// A session is one ZooKeeper session on one *zk.Conn, which makes no second
// one: see onExpired. It outlives connections, and ends once, by expiry or by
// close.
type session struct {
	cfg   Config
	log   zerolog.Logger
	hosts int // number of servers

	// conn is set once, before ready is closed.
	conn  *zk.Conn
	ready chan struct{}

	// alive ends when the session is to be left; it ends dialing, not
	// connections.
	alive context.Context
	leave context.CancelFunc

	expired chan struct{} // closed when the server said so
	ended   chan struct{} // closed when the library's loop has ended

	// work counts the goroutines of the session: the one that waits for the
	// library's loop, and those that close the library's Conn.
	work sync.WaitGroup

	// turn holds one token: whoever took it may launch a request. It is back
	// when that request's frame is out, or its call has returned without.
	turn chan struct{}

	mu sync.Mutex // guards what follows; never held over I/O

	// gen numbers connections; wire is the newest one's.
	gen  int
	wire *wire

	// connected: requests may be sent, on connection gen.
	connected bool
	changed   chan struct{} // closed and replaced when connected or gone changes
	gone      error         // ErrSessionExpired or ErrClosed, when no request can be sent any more

	granted hello // of the newest connect reply

	// launched is the request that has the turn, nil if none has or its frame
	// was begun. Invariant: at most one request is launched and not begun.
	launched *call
	begun    bool // a frame's Write is running

	// failures counts dials since the last good connection; see pause.
	failures int
	goodAt   time.Time
	dialErr  error // of the last dial, nil if it went well
}

// newSession starts a session. The caller owns it and closes it.
func newSession(cfg Config, servers serverList) (*session, error) {
	alive, leave := context.WithCancel(context.Background())
	s := &session{
		cfg: cfg, log: cfg.Logger, hosts: len(servers.hosts),
		ready: make(chan struct{}), alive: alive, leave: leave,
		expired: make(chan struct{}), ended: make(chan struct{}),
		turn: make(chan struct{}, 1), changed: make(chan struct{}),
	}
	s.turn <- struct{}{}
	conn, events, err := zk.Connect(servers.hosts, cfg.SessionTimeout,
		zk.WithHostProvider(newHosts(servers.hosts, func() bool { return alive.Err() != nil })),
		zk.WithDialer(s.dial),
		zk.WithEventCallback(s.event),
		zk.WithLogger(libLogger{cfg.Logger}),
		zk.WithLogInfo(false),
		zk.WithMaxConnBufferSize(cfg.MaxRequest+sendSlack),
	)
	if err != nil {
		leave()
		return nil, err
	}
	s.conn = conn
	close(s.ready)
	s.work.Go(func() {
		// The channel drops what doesn't fit, so nothing is taken from it but
		// its end.
		for range events {
		}
		close(s.ended)
	})
	return s, nil
}

// sendSlack keeps requests away from the end of the library's send buffer,
// where it panics.
const sendSlack = 4096

// event is the library's callback: from its loop's goroutine for states, from
// the one that reads for watches. It must not wait, but for expiry.
func (s *session) event(ev zk.Event) {
	if ev.Type != zk.EventSession {
		return
	}
	switch ev.State {
	case zk.StateHasSession:
		s.mu.Lock()
		s.connected = s.gone == nil
		s.notify()
		id, timeout, server := s.granted.id, s.granted.timeout, ev.Server
		s.mu.Unlock()
		s.log.Info().Str("server", server).Str("session", fmt.Sprintf("0x%x", id)).Dur("timeout", timeout).Msg("zookeeper: connected")
	case zk.StateDisconnected:
		s.mu.Lock()
		gen := s.gen
		s.mu.Unlock()
		s.lost(gen)
	case zk.StateExpired:
		s.onExpired()
	}
}

// onExpired keeps the library from making a new session on the same Conn, in
// which it would apply requests of the old one: it closes the Conn and returns
// only when the library is known to have seen that. A call that the library
// would leave waiting tells.
func (s *session) onExpired() {
	<-s.ready
	s.log.Warn().Msg("zookeeper: session expired")
	s.end(ErrSessionExpired)
	s.work.Go(s.conn.Close)
	for {
		if _, _, err := s.conn.Exists("/"); errors.Is(err, zk.ErrConnectionClosed) {
			break
		}
	}
	s.cut() // the library leaves the socket open
	close(s.expired)
}

// end marks the session as over, for the reason err, the first one.
func (s *session) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == nil {
		s.gone = err
	}
	s.connected = false
	s.notify()
	s.leave()
}

// closeWait bounds how long close waits for the frame of a launched request.
const closeWait = 100 * time.Millisecond

// close ends the session on the server, if it can be reached, and waits until
// every goroutine of the session has ended: at most about a second, the time
// that the library gives the answer to its close request.
func (s *session) close() {
	s.end(ErrClosed)
	t := time.NewTimer(closeWait)
	select {
	case <-s.turn: // no request is before the close request
	case <-t.C:
	}
	t.Stop()
	s.conn.Close()
	s.cut()
	<-s.ended
	s.work.Wait()
}

// cut closes the socket, which ends what the library does on it.
func (s *session) cut() {
	s.mu.Lock()
	w := s.wire
	s.mu.Unlock()
	if w != nil {
		w.Conn.Close()
	}
}

// notify wakes whoever waits for a change. s.mu is held.
func (s *session) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// look returns whether requests can be sent, on which connection, why not, and
// a channel that is closed when that changes.
func (s *session) look() (gen int, connected bool, gone error, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gen, s.connected, s.gone, s.changed
}

// lost notes that connection gen has ended.
func (s *session) lost(gen int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if gen != s.gen || !s.connected {
		return
	}
	s.connected = false
	s.strand()
	s.notify()
	s.log.Warn().Msg("zookeeper: connection lost")
}

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

// libLogger hands the library's messages on; all of them are details.
type libLogger struct{ log zerolog.Logger }

// Printf logs at debug level.
func (l libLogger) Printf(format string, args ...any) {
	l.log.Debug().Msgf("zookeeper: "+format, args...)
}
