package fetch

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kspout/kspout/offsets"
)

// kafka-go#1006 and #599: Run ends at once when the network is a black hole,
// also with an answer half read, and leaves nothing behind.
func TestRunEndsInABlackHole(t *testing.T) {
	for name, limit := range map[string]int64{"from the start": 0, "after the versions": 400, "in mid-fetch": 200_000} {
		t.Run(name, func(t *testing.T) {
			cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
			cl := producer(t, cluster.ListenAddrs())
			for range 4 {
				produce(t, cl, orders(0), 20_000)
			}
			hole := &blackHole{limit: limit, reached: make(chan struct{})}
			c := New(Config{Brokers: cluster.ListenAddrs(), Dial: hole.dial})
			stop := run(c)
			l := c.Open(orders(0), offsets.TopicID{}, func() {})
			l.Take(0)
			asked := make(chan error)
			go func() {
				_, err := c.Look(context.Background(), orders(0))
				asked <- err
			}()
			select {
			case <-hole.reached:
			case <-time.After(patience):
				t.Fatal("the black hole wasn't reached")
			}
			began := time.Now()
			stop()
			err := <-asked
			if d := time.Since(began); d > time.Second {
				t.Errorf("Run took %v to end", d)
			}
			_ = err // nil if the look was quicker than the hole
			hole.mu.Lock()
			defer hole.mu.Unlock()
			if hole.open != 0 {
				t.Errorf("%d connections are left", hole.open)
			}
		})
	}
}

// A blackHole lets so many bytes come back on a connection, and then none.
type blackHole struct {
	limit   int64
	once    sync.Once
	reached chan struct{}

	mu   sync.Mutex
	open int
}

func (h *blackHole) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open++
	return &holeConn{Conn: c, hole: h, left: h.limit, closed: make(chan struct{})}, nil
}

type holeConn struct {
	net.Conn
	hole   *blackHole
	left   int64
	once   sync.Once
	closed chan struct{}
}

func (c *holeConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		c.hole.once.Do(func() { close(c.hole.reached) })
		<-c.closed
		return 0, io.ErrClosedPipe
	}
	n, err := c.Conn.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (c *holeConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.hole.mu.Lock()
		defer c.hole.mu.Unlock()
		c.hole.open--
	})
	return c.Conn.Close()
}
