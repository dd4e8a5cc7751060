package zkstate

import (
	"context"
	"errors"
	"fmt"
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

// A standing is how a session stood at one moment.
type standing struct {
	gen       int             // the connection's
	connected bool            // requests can be sent
	gone      error           // why the session is over; nil while it isn't
	changed   <-chan struct{} // closed when any of that changes
}

func (s *session) look() standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return standing{s.gen, s.connected, s.gone, s.changed}
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

// libLogger hands the library's messages on; all of them are details.
type libLogger struct{ log zerolog.Logger }

// Printf logs at debug level.
func (l libLogger) Printf(format string, args ...any) {
	l.log.Debug().Msgf("zookeeper: "+format, args...)
}
