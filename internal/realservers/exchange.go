package realservers

import (
	"context"
	"net"
	"time"
)

// askTimeout bounds one question to a server: whether it serves, what it knows.
const askTimeout = 2 * time.Second

// dial connects to addr for one exchange, which the end of ctx cuts.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp4", addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return &exchange{Conn: conn, stop: stop}, nil
}

// An exchange is a connection that ends with its context, or with Close.
type exchange struct {
	net.Conn
	stop func() bool
}

func (e *exchange) Close() error {
	e.stop()
	return e.Conn.Close()
}

// sleep waits for d and returns nil, or ctx's cause if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
