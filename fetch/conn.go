package fetch

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
)

// A dialFunc opens a connection, like [net.Dialer.DialContext].
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// conns are the open connections of one broker. The transport opens and closes
// them; we can cut them under its hands.
type conns struct {
	dial dialFunc

	mu     sync.Mutex
	open   map[*conn]struct{}
	closed bool
	empty  chan struct{} // closed when closed and nothing is open
}

func newConns(dial dialFunc) *conns {
	return &conns{dial: dial, open: make(map[*conn]struct{}), empty: make(chan struct{})}
}

// Dial opens a connection, and none after cut.
func (cs *conns) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	inner, err := cs.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		_ = inner.Close()
		return nil, ErrClosed
	}
	c := &conn{Conn: inner, set: cs}
	cs.open[c] = struct{}{}
	return c, nil
}

// cut closes the sockets, which ends every exchange on them. Their owner, the
// transport, closes the connections thereupon; gone is closed after the last.
func (cs *conns) cut() (gone <-chan struct{}) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if !cs.closed {
		cs.closed = true
		cs.checkEmpty()
	}
	for c := range cs.open {
		_ = c.Conn.Close()
	}
	return cs.empty
}

// checkEmpty closes empty when it's due. Under mu.
func (cs *conns) checkEmpty() {
	if cs.closed && len(cs.open) == 0 {
		close(cs.empty)
	}
}

// A conn is one connection and what its broker speaks. Exchanges have it one at
// a time.
type conn struct {
	net.Conn
	set   *conns
	speak map[int16]versionRange // nil: not learned
	in    *bufio.Reader          // of exchanges; nil before the first
}

// readAhead is how much is read off a connection at once, in bytes: more than the
// 4 KiB of what kafka-go hands us, so that a usual batch takes no system call of
// its own.
const readAhead = 128 << 10

// reader returns what an exchange reads its answer from. Between two exchanges
// nothing is left in it, as a broker sends only answers.
func (c *conn) reader(rw io.Reader) *bufio.Reader {
	if c.in == nil {
		c.in = bufio.NewReaderSize(rw, readAhead)
	} else {
		c.in.Reset(rw)
	}
	return c.in
}

// versions returns what the broker at the other end speaks, asking it over rw the
// first time.
func (c *conn) versions(rw io.ReadWriter, clientID string) (map[int16]versionRange, error) {
	if c.speak == nil {
		speak, err := learnVersions(rw, clientID)
		if err != nil {
			return nil, err
		}
		c.speak = speak
	}
	return c.speak, nil
}

// Close is called by the transport.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if _, ok := c.set.open[c]; ok {
		delete(c.set.open, c)
		c.set.checkEmpty()
	}
	return err
}

// LocalAddr leads back to the connection from what wraps it.
func (c *conn) LocalAddr() net.Addr { return connAddr{c.Conn.LocalAddr(), c} }

type connAddr struct {
	net.Addr
	conn *conn
}
