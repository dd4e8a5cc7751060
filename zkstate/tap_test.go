package zkstate

import (
	"context"
	"net"
	"sync"
)

// A tap listens to what a Client writes.
type tap struct {
	mu     sync.Mutex
	frames []int // their lengths
	dials  int
}

func (t *tap) into(cfg *Config) {
	dial := cfg.withDefaults().Dial
	cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		t.mu.Lock()
		t.dials++
		t.mu.Unlock()
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &tapped{conn, t}, nil
	}
}

func (t *tap) last() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.frames[len(t.frames)-1]
}

func (t *tap) dialed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dials
}

type tapped struct {
	net.Conn
	tap *tap
}

func (c *tapped) Write(p []byte) (int, error) {
	if len(p) < 12 || p[11] != opPing {
		c.tap.mu.Lock()
		c.tap.frames = append(c.tap.frames, len(p))
		c.tap.mu.Unlock()
	}
	return c.Conn.Write(p)
}

func (t *tap) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.frames)
}
