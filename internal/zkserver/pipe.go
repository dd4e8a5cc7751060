package zkserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
)

// A Pipe joins clients and a server without sockets, by net.Pipe, so that both
// can live in a testing/synctest bubble: give its Listen to [Config] and its
// Dial to the client. The zero value is ready for use, also concurrently.
type Pipe struct {
	mu sync.Mutex
	ln *pipeListener // nil while nobody listens
}

// Listen starts accepting what is dialed.
func (p *Pipe) Listen() (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ln != nil {
		return nil, &net.OpError{Op: "listen", Net: "pipe", Err: syscall.EADDRINUSE}
	}
	p.ln = &pipeListener{pipe: p, conns: make(chan net.Conn), done: make(chan struct{})}
	return p.ln, nil
}

// Dial connects to the server. It fails at once while nobody listens.
func (p *Pipe) Dial(ctx context.Context) (net.Conn, error) {
	p.mu.Lock()
	ln := p.ln
	p.mu.Unlock()
	err := error(syscall.ECONNREFUSED)
	if ln != nil {
		here, there := net.Pipe()
		select {
		case ln.conns <- there:
			return here, nil
		case <-ln.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
}

type pipeListener struct {
	pipe  *Pipe
	conns chan net.Conn
	done  chan struct{} // closed by Close
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.pipe.mu.Lock()
	defer l.pipe.mu.Unlock()
	if l.pipe.ln != l {
		return errors.New("zkserver: pipe: closed")
	}
	l.pipe.ln = nil
	close(l.done)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
