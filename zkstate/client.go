package zkstate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Client speaks to ZooKeeper in one session at a time; when that expires, it
// makes another. Its methods may be called from any goroutine.
type Client struct {
	cfg     Config
	servers serverList

	// permits holds a token for each request that may be in flight.
	permits chan struct{}

	// session is the newest one; only keep replaces it.
	session atomic.Pointer[session]

	// running ends when Close begins; it's the context of handlers.
	running context.Context
	stop    context.CancelFunc

	// work counts keep, and the ends of expired sessions.
	work sync.WaitGroup

	closeOnce sync.Once

	mu       sync.Mutex // guards what follows
	closed   bool
	handlers []*SessionHandler // in the order of OnSession; replaced, never changed
}

// Connect opens a session and returns when it's established, or with an error
// when ctx ends first: without a deadline it tries for ever. The caller closes
// the Client. If the list of servers has a chroot, Connect creates it.
func Connect(ctx context.Context, cfg Config) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	servers, err := parseServers(cfg.Servers)
	if err != nil {
		return nil, fmt.Errorf("zkstate: Config.Servers %w", err)
	}
	s, err := newSession(cfg, servers)
	if err != nil {
		return nil, fmt.Errorf("zkstate: connect: %w", err)
	}
	c := &Client{cfg: cfg, servers: servers, permits: make(chan struct{}, cfg.MaxInFlight)}
	for range cfg.MaxInFlight {
		c.permits <- struct{}{}
	}
	c.running, c.stop = context.WithCancel(context.Background())
	c.session.Store(s)
	c.work.Go(c.keep)

	if err := c.WaitConnected(ctx); err != nil {
		err = c.unreachable(err)
		c.Close()
		return nil, err
	}
	if err := c.makeChroot(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// unreachable says why no session was made, and what to look at.
func (c *Client) unreachable(err error) error {
	last := ""
	if e := c.session.Load().lastDialErr(); e != nil {
		last = fmt.Sprintf(" (last attempt: %v)", e)
	} else {
		last = " (a server takes connections, but doesn't grant a session)"
	}
	return fmt.Errorf("zkstate: connect: no ZooKeeper server of %s answered%s: check that one is running there and can be reached from here: %w",
		strings.Join(c.servers.hosts, ","), last, err)
}

// makeChroot creates the chroot's nodes, from the top.
func (c *Client) makeChroot(ctx context.Context) error {
	root := c.servers.chroot
	if root == "" {
		return nil
	}
	for {
		if err := c.WaitConnected(ctx); err != nil {
			return fmt.Errorf("zkstate: create the chroot %s: %w", root, err)
		}
		top := &Client{cfg: c.cfg, permits: c.permits} // the same session, seen from the root
		top.session.Store(c.session.Load())
		if err := top.makePath(ctx, root); !lost(err) {
			return err
		}
	}
}

// makePath creates the node at path and those above it, where they're missing.
func (c *Client) makePath(ctx context.Context, path string) error {
	var reqs []Request
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			reqs = append(reqs, Create{Path: path[:i]})
		}
	}
	reqs = append(reqs, Create{Path: path})
	resps := c.Retry(ctx, reqs...)
	// A refusal above doesn't matter where the last node exists.
	err := resps[len(resps)-1].Err()
	if err == nil || errors.Is(err, ErrNodeExists) {
		return nil
	}
	for _, r := range resps {
		if e := r.Err(); e != nil && !errors.Is(e, ErrNodeExists) {
			return e
		}
	}
	return err
}

// Do sends requests in order, without waiting for one's answer before sending
// the next, and returns their responses in the same order, once all are there.
// It doesn't wait for a connection: if there is none, or the one that the first
// request took ends, what isn't sent isn't sent any more, and what isn't
// answered has ErrConnectionLoss or ErrSessionExpired. So requests of one Do
// never go over two connections. Requests of concurrent calls interleave.
//
// A response whose Err is nil was given by the server. When ctx ends, those
// that aren't answered have its error; whether they're applied isn't known,
// unless Error.Unsent. A request that is too large has ErrTooLarge, the others
// are sent.
func (c *Client) Do(ctx context.Context, requests ...Request) []Response {
	return c.send(ctx, c.session.Load(), requests)
}

// WaitConnected waits until requests can be sent. It returns ctx's error, or
// ErrClosed.
func (c *Client) WaitConnected(ctx context.Context) error {
	for {
		s := c.session.Load()
		is := s.look()
		switch {
		case is.connected:
			return nil
		case errors.Is(is.gone, ErrClosed):
			return ErrClosed
		}
		if c.session.Load() != s {
			continue
		}
		select {
		case <-is.changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A SessionInfo describes a session.
type SessionInfo struct {
	ID        int64         // 0 before the server granted one
	Timeout   time.Duration // as the server granted it
	Connected bool          // requests can be sent
}

// Session describes the current session.
func (c *Client) Session() SessionInfo {
	s := c.session.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	return SessionInfo{ID: s.granted.id, Timeout: s.granted.timeout, Connected: s.connected}
}

// Close ends the session, on the server too if it can be reached, and returns
// when every goroutine of the Client has ended: within about two seconds, also
// while ZooKeeper is away. Requests in flight have ErrClosed. It waits for
// session handlers, whose ctx ends; it must not be called by one of them.
// Further calls wait for the first.
func (c *Client) Close() {
	c.closeOnce.Do(func() {
		c.mu.Lock()
		c.closed = true
		s := c.session.Load()
		c.mu.Unlock()
		c.stop()
		s.close()
		c.work.Wait()
		for range c.cfg.MaxInFlight {
			<-c.permits // the last calls have returned
		}
	})
}
