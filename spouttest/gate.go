package spouttest

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
)

// A gate is a listener that can be shut and opened again at the same address
// without its user's noticing, knows the connections that it let in, and takes
// some that need no socket. Its goroutine, while open, accepts; shut and Close
// wait for it.
type gate struct {
	accepted chan net.Conn
	closed   chan struct{} // by Close

	life sync.Mutex // serialises open, shut and Close, which wait
	wg   sync.WaitGroup

	mu    sync.Mutex
	addr  string
	ln    net.Listener  // nil while shut
	stop  chan struct{} // ends accepting
	conns map[*gateConn]struct{}
}

// newGate listens at addr, a loopback address.
func newGate(addr string) (*gate, error) {
	g := &gate{addr: addr, accepted: make(chan net.Conn), closed: make(chan struct{}), conns: map[*gateConn]struct{}{}}
	return g, g.open()
}

// open listens; nothing happens if it does so already.
func (g *gate) open() error {
	g.life.Lock()
	defer g.life.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ln != nil {
		return nil
	}
	ln, err := net.Listen("tcp", g.addr)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	g.ln, g.addr, g.stop = ln, ln.Addr().String(), stop
	g.wg.Go(func() { g.accept(ln, stop) })
	return nil
}

func (g *gate) accept(ln net.Listener, stop chan struct{}) {
	for {
		c, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no file descriptor left: the client is cut
			continue
		}
		if !g.admit(c, stop) {
			return
		}
	}
}

// admit hands a connection to Accept, unless stop is closed first.
func (g *gate) admit(c net.Conn, stop <-chan struct{}) bool {
	gc := &gateConn{Conn: c, gate: g}
	g.mu.Lock()
	g.conns[gc] = struct{}{}
	g.mu.Unlock()
	select {
	case g.accepted <- gc:
		return true
	case <-stop:
	case <-g.closed:
	}
	gc.Close()
	return false
}

// shut refuses connections from here on, and cuts those that exist. Accept
// keeps waiting.
func (g *gate) shut() {
	g.life.Lock()
	defer g.life.Unlock()
	g.mu.Lock()
	if g.ln != nil {
		g.ln.Close()
		close(g.stop)
		g.ln = nil
	}
	g.mu.Unlock()
	g.wg.Wait()
	g.cut()
}

// cut closes all connections.
func (g *gate) cut() {
	for _, c := range g.list() {
		c.Close()
	}
}

func (g *gate) list() []*gateConn {
	g.mu.Lock()
	defer g.mu.Unlock()
	cs := make([]*gateConn, 0, len(g.conns))
	for c := range g.conns {
		cs = append(cs, c)
	}
	return cs
}

// Accept waits, also while the gate is shut, until Close.
func (g *gate) Accept() (net.Conn, error) {
	select {
	case c := <-g.accepted:
		return c, nil
	case <-g.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the gate for good. Connections live on, as with any listener.
func (g *gate) Close() error {
	g.life.Lock()
	defer g.life.Unlock()
	g.mu.Lock()
	select {
	case <-g.closed:
	default:
		close(g.closed)
	}
	if g.ln != nil {
		g.ln.Close()
		g.ln = nil
	}
	g.mu.Unlock()
	g.wg.Wait()
	return nil
}

// Addr returns where the gate listens, or did.
func (g *gate) Addr() net.Addr {
	g.mu.Lock()
	defer g.mu.Unlock()
	addr, _ := net.ResolveTCPAddr("tcp", g.addr)
	return addr
}

// A gateConn is a connection that came in by a gate.
type gateConn struct {
	net.Conn
	gate *gate

	once    sync.Once
	mu      sync.Mutex
	first   bool  // something was written
	session int64 // ZooKeeper's id of the session, 0 for none
}

// Write looks at the first frame that is written, which in ZooKeeper's protocol
// names the session: length, version, timeout, id.
func (c *gateConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if !c.first && len(p) >= 20 {
		c.session = int64(binary.BigEndian.Uint64(p[12:20]))
	}
	c.first = true
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *gateConn) sessionID() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *gateConn) Close() error {
	c.once.Do(func() {
		c.gate.mu.Lock()
		delete(c.gate.conns, c)
		c.gate.mu.Unlock()
	})
	return c.Conn.Close()
}
