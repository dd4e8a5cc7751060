package zkserver

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// A conn is one client's connection. Two goroutines serve it, a reader and a
// writer; the server waits for both. Either ends when the connection is
// closed, which each does on its way out.
type conn struct {
	srv *Server
	net net.Conn
	out *outbox

	once sync.Once
	done chan struct{} // closed with the connection

	// Guarded by srv.mu.
	session *session  // nil before the connect request
	sid     int64     // of the session, or of the one asked for
	ids     []tree.ID // what the client is known as
	dead    bool      // the connection or its session is ending: nothing more is executed
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, net: nc, out: newOutbox(), done: make(chan struct{})}
	if host, _, err := net.SplitHostPort(nc.RemoteAddr().String()); err == nil {
		c.ids = []tree.ID{{Scheme: "ip", ID: host}}
	}
	return c
}

// close cuts the connection. Any goroutine may call it, any number of times.
func (c *conn) close() {
	c.once.Do(func() {
		close(c.done)
		c.net.Close()
	})
}

// read executes the client's requests until the connection ends. Every write
// has a bound, so that waiting for the writer has one.
func (c *conn) read() {
	defer c.srv.forget(c)
	defer c.close()
	// A client that says nothing at first has no session whose end would end
	// the connection.
	c.net.SetReadDeadline(time.Now().Add(c.srv.cfg.maxTimeout()))
	frame, word, err := c.readFrame(true)
	switch {
	case err != nil:
		return
	case word != "":
		c.srv.word(c, word)
		<-c.done // closed by the writer
		return
	}
	c.net.SetReadDeadline(time.Time{})
	ok := c.srv.connect(c, frame)
	for ok {
		if frame, _, err = c.readFrame(false); err != nil {
			return
		}
		ok = c.srv.serve(c, frame)
		for ok && c.out.full() {
			select {
			case <-c.out.drained:
			case <-c.done:
				return
			}
		}
	}
	<-c.done // the writer says what is left to say, then closes
}

// readFrame returns the next frame. A connection may, instead of its first,
// send a word of four letters.
func (c *conn) readFrame(first bool) (frame []byte, word string, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c.net, head[:]); err != nil {
		return nil, "", err
	}
	if first && isWord(head) {
		return nil, string(head[:]), nil
	}
	n := binary.BigEndian.Uint32(head[:])
	if int64(n) > int64(c.srv.cfg.MaxFrame) {
		return nil, "", errFrameSize
	}
	frame = make([]byte, n)
	_, err = io.ReadFull(c.net, frame)
	return frame, "", err
}

// write sends what is in the outbox until the connection ends.
func (c *conn) write() {
	defer c.close()
	for {
		select {
		case <-c.done:
			return
		case <-c.out.ready:
		}
		for _, p := range c.out.take() {
			if !c.wait(p.delay) || !c.srv.waitRunning(c) {
				return
			}
			if len(p.frame) > 0 {
				c.net.SetWriteDeadline(time.Now().Add(c.srv.cfg.maxTimeout()))
				if _, err := c.net.Write(p.frame); err != nil {
					return
				}
			}
			if p.last {
				return
			}
		}
	}
}

// await waits until ch is closed; false means that the connection ended
// meanwhile.
func (c *conn) await(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	case <-c.done:
		return false
	}
}

// wait sleeps for d; false means that the connection ended meanwhile.
func (c *conn) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.done:
		return false
	}
}

// caller is on whose behalf the connection's requests run. The caller holds
// srv.mu.
func (c *conn) caller() tree.Caller { return tree.Caller{Session: c.session.id, IDs: c.ids} }

// prove adds to what the client is known as. The caller holds srv.mu.
func (c *conn) prove(id tree.ID) {
	if !slices.Contains(c.ids, id) {
		c.ids = append(c.ids, id)
	}
}
