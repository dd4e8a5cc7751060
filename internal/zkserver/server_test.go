package zkserver

import (
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/kspout/kspout/internal/zkserver/tree"
)

// TestRestart: data, sessions and the address survive; no time passes between.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, time.Second)
		c.call(OpCreate, create("/e", tree.Ephemeral)).want(t, tree.OK)
		if err := s.Restart(); !errors.Is(err, ErrRunning) {
			t.Errorf("restart of a running server: %v", err)
		}
		s.Pause()
		s.Stop()
		s.Stop() // again: nothing
		c.next().wantEnd(t)
		if _, err := pipe.Dial(t.Context()); err == nil {
			t.Error("a stopped server is connected to")
		}
		time.Sleep(time.Hour)
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(900 * time.Millisecond) // of the second that it has, and past a tick
		again := pipe.dial(t)
		if !again.open(c.timeout, c.session, c.passwd) {
			t.Fatal("the session is gone")
		}
		again.call(OpSetData, set("/e", "x")).want(t, tree.OK)
		s.Close()
		s.Close() // again: nothing
		if err := s.Restart(); !errors.Is(err, ErrClosed) {
			t.Errorf("restart of a closed server: %v", err)
		}
	})
}

// TestSamePort: a server on a socket comes back on its port.
func TestSamePort(t *testing.T) {
	s, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	addr := s.Addr()
	for range 20 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		s.Stop()
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			t.Error("a stopped server is connected to")
		}
		if err := s.Restart(); err != nil || s.Addr() != addr {
			t.Fatalf("restart at %s: %v", s.Addr(), err)
		}
		conn.Close()
	}
}

// quiet discards the library's log.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// TestLibraryInBubble: the client library works over a Pipe, by a clock that
// isn't real.
func TestLibraryInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c, _, err := zk.Connect([]string{"127.0.0.1:1"}, 10*time.Second, zk.WithLogger(quiet{}),
			zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) { return pipe.Dial(t.Context()) }))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // it pings
		if _, _, ok := s.Get("/e"); !ok {
			t.Error("the session has ended")
		}
		s.Stop()
		time.Sleep(time.Minute)
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if _, _, err := c.Get("/e"); err != nil {
			t.Errorf("after a restart: %v", err)
		}
	})
}

// TestSilent: a connection that never says anything is cut after 20 ticks.
func TestSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, pipe := startPipe(t, Config{})
		start := time.Now()
		pipe.dial(t).next().wantEnd(t)
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("cut after %v, want 10s", d)
		}
	})
}

// TestDeafClient: who asks and never reads is neither answered without bound,
// nor in the way of others, nor of Close.
func TestDeafClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		deaf, other := pipe.connect(t, 10*time.Second), pipe.connect(t, 10*time.Second)
		asked := make(chan int)
		go func() {
			n := 0
			for ; n < 10*outboxLimit; n++ {
				if _, err := deaf.conn.Write([]byte{0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, byte(OpPing)}); err != nil {
					break
				}
			}
			asked <- n
		}()
		synctest.Wait()
		other.call(OpCreate, create("/x", 0)).want(t, tree.OK)
		if n := <-asked; n < outboxLimit || n > 3*outboxLimit {
			t.Errorf("%d requests were taken, want about %d", n, outboxLimit)
		}
		time.Sleep(time.Second) // past the tick that ends sessions
		if slices.ContainsFunc(s.Sessions(), func(x Session) bool { return x.ID == deaf.session }) {
			t.Error("the deaf client's session lives on")
		}
	})
}

// TestLargeReplies: replies that nobody reads are bounded in bytes too.
func TestLargeReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		c.call(OpCreate, create("/x", 0)).want(t, tree.OK)
		c.call(OpSetData, set("/x", strings.Repeat("x", 1<<19))).want(t, tree.OK)
		go func() {
			for range 200 {
				c.send(OpGetData, read("/x", false))
			}
		}()
		synctest.Wait() // nothing moves any more
		s.mu.Lock()
		var size int
		for c := range s.conns {
			size += c.out.size
		}
		s.mu.Unlock()
		if size < outboxBytes || size > outboxBytes+1<<20 {
			t.Errorf("%d bytes wait to be sent, want about %d", size, outboxBytes)
		}
		for range 200 {
			c.next().want(t, tree.OK)
		}
	})
}

// TestForget: nothing is kept of a connection that has ended.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		c.call(OpExists, read("/x", true)).want(t, tree.NoNode)
		c.call(OpGetChildren, read("/", true)).want(t, tree.OK)
		c.conn.Close()
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.conns) != 0 || len(s.watches.byConn) != 0 || len(s.watches.byPath[watchData]) != 0 {
			t.Errorf("%d connections and the watches of %d are kept", len(s.conns), len(s.watches.byConn))
		}
	})
}

// TestGarbage: random bytes end their connection and nothing else.
func TestGarbage(t *testing.T) {
	s, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, rng.IntN(200))
		for i := range b {
			b[i] = byte(rng.IntN(256))
			if rng.IntN(2) == 0 {
				b[i] = 0
			}
		}
		conn.Write(b)
		conn.Close()
	}
	if ok := zk.FLWRuok([]string{s.Addr()}, 5*time.Second); !ok[0] {
		t.Errorf("seed %d: the server doesn't answer", seed)
	}
}

func TestConfig(t *testing.T) {
	_, err := Start(Config{Addr: "0.0.0.0:0", Tick: time.Microsecond, MaxFrame: -1})
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"Addr", "Tick", "MaxFrame"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q doesn't mention %s", err, field)
		}
	}
}
