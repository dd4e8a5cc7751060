package zkstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kspout/kspout/internal/zkserver"
)

// A stage is a ZooKeeper to test on: the one in the process, or a real one, of
// which each test has a subtree for itself, by chroot.
type stage struct {
	servers []string
	local   *zkserver.Server // nil for the real one

	stop   func(t *testing.T)
	start  func(t *testing.T)
	pause  func(t *testing.T)
	resume func(t *testing.T)
}

var stages atomic.Int64

func local(t testing.TB) *stage {
	t.Helper()
	srv, err := zkserver.Start(zkserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return &stage{
		servers: []string{srv.Addr()}, local: srv,
		stop: func(*testing.T) { srv.Stop() },
		start: func(t *testing.T) {
			if err := srv.Restart(); err != nil {
				t.Fatal(err)
			}
		},
		pause:  func(*testing.T) { srv.Pause() },
		resume: func(*testing.T) { srv.Resume() },
	}
}

func real(t testing.TB) *stage {
	t.Helper()
	n := realZooKeeper.Get(t).Node(0)
	check := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	return &stage{
		servers: []string{fmt.Sprintf("%s/stage-%d-%d", n.Addr(), os.Getpid(), stages.Add(1))},
		stop: func(t *testing.T) {
			t.Cleanup(func() { check(t, n.Start(context.Background())) }) // for the next test, also if this one fails
			check(t, n.Kill())
		},
		start: func(t *testing.T) { check(t, n.Start(context.Background())) },
		pause: func(t *testing.T) {
			t.Cleanup(func() { check(t, n.Start(context.Background())) })
			check(t, n.Pause())
		},
		resume: func(t *testing.T) { check(t, n.Resume()) },
	}
}

// onBoth runs a test on a ZooKeeper in the process and on a real one.
func onBoth(t *testing.T, test func(t *testing.T, st *stage)) {
	t.Run("local", func(t *testing.T) { test(t, local(t)) })
	t.Run("real", func(t *testing.T) { test(t, real(t)) })
}

// connect returns a Client that is closed with the test. Its session timeout is
// long enough for a busy machine; tests that end a session do it themselves.
func (st *stage) connect(t testing.TB, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{Servers: st.servers, SessionTimeout: 10 * time.Second}
	if testing.Verbose() {
		cfg.Logger = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.InfoLevel)
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := Connect(bounded(t, 20*time.Second), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// expire ends c's session on the server, from a second connection that has its
// id and password, and leaves c to find out.
func (st *stage) expire(t testing.TB, c *Client) {
	t.Helper()
	if st.local != nil {
		if !st.local.ExpireSession(c.Session().ID) {
			t.Fatal("no such session")
		}
		return
	}
	s := c.session.Load()
	s.mu.Lock()
	granted := s.granted
	s.mu.Unlock()
	if err := closeSession(c.servers.hosts[0], granted); err != nil {
		t.Fatal(err)
	}
}

// bounded is the test's context with a deadline.
func bounded(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// ask sends requests that must all succeed, over lost connections too.
func ask(t testing.TB, c *Client, reqs ...Request) []Response {
	t.Helper()
	resps := c.Retry(bounded(t, 20*time.Second), reqs...)
	for _, r := range resps {
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
	return resps
}

// get reads a node that must exist.
func get(t testing.TB, c *Client, path string) (string, Stat) {
	t.Helper()
	r := ask(t, c, Get{Path: path})[0].(*GetResponse)
	return string(r.Data), r.Stat
}

// wantErr checks an error against a sentinel and what its text names.
func wantErr(t testing.TB, err, want error, names ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
	for _, n := range names {
		if !strings.Contains(err.Error(), n) {
			t.Errorf("error %q doesn't name %q", err, n)
		}
	}
}

// until polls for a condition, for 20 s.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("after 20s: not %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// settled waits until every permit is back.
func settled(t testing.TB, c *Client) {
	t.Helper()
	until(t, "all permits back", func() bool { return len(c.permits) == c.cfg.MaxInFlight })
}
