package zkserver

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/internal/zkserver/tree"
)

func TestLoseReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		f := s.LoseReply(Match{Op: OpCreate, Path: "/lost"})
		go func() {
			c.send(OpCreate, create("/kept", 0))
			c.send(OpCreate, create("/lost", 0))
		}()
		c.next().want(t, tree.OK) // the reply before the one that's lost
		c.next().wantEnd(t)
		if _, _, ok := s.Get("/lost"); !ok {
			t.Error("the request wasn't applied")
		}
		<-f.Spent()
		if f.Strikes() != 1 {
			t.Errorf("%d strikes, want 1", f.Strikes())
		}
		again := pipe.dial(t)
		if !again.open(c.timeout, c.session, c.passwd) {
			t.Fatal("the session is gone")
		}
		again.call(OpCreate, create("/lost", 0)).want(t, tree.NodeExists)
	})
}

func TestCutBeforeApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		s.CutBeforeApply(Match{Op: OpCreate})
		go c.send(OpCreate, create("/x", 0))
		c.next().wantEnd(t)
		if _, _, ok := s.Get("/x"); ok {
			t.Error("the request was applied")
		}
		again := pipe.dial(t)
		if !again.open(c.timeout, c.session, c.passwd) {
			t.Fatal("the session is gone")
		}
		again.call(OpCreate, create("/x", 0)).want(t, tree.OK)
	})
}

func TestDelayReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		a, b := pipe.connect(t, 10*time.Second), pipe.connect(t, 10*time.Second)
		s.DelayReply(Match{Op: OpCreate}, 3*time.Second)
		start := time.Now()
		go func() {
			a.send(OpCreate, create("/x", 0))
			a.send(OpGetData, read("/x", false))
		}()
		synctest.Wait()
		b.call(OpGetData, read("/x", false)).want(t, tree.OK) // it was applied at once
		if d := time.Since(start); d != 0 {
			t.Errorf("another connection waited for %v", d)
		}
		a.next().want(t, tree.OK)
		a.next().want(t, tree.OK)
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("answered after %v, want 3s", d)
		}
	})
}

func TestRejectAndFailAuth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		s.Reject(Match{Op: OpCreate}, tree.NoAuth)
		c.call(OpCreate, create("/x", 0)).want(t, tree.NoAuth)
		c.call(OpCreate, create("/x", 0)).want(t, tree.OK)
		auth := func(e *jute.Encoder) { e.Int32(0); e.String("digest"); e.Buffer([]byte("a:b")) }
		s.FailAuth(1)
		c.call(OpAuth, auth).want(t, tree.AuthFailed)
		c.next().wantEnd(t)
		c = pipe.connect(t, 10*time.Second)
		c.call(OpAuth, auth).want(t, tree.OK)
	})
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		a, b := pipe.connect(t, 10*time.Second), pipe.connect(t, 10*time.Second)
		f := s.Hold(Match{Path: "/x"})
		go a.send(OpCreate, create("/x", 0))
		<-f.Spent() // it has arrived
		b.call(OpExists, read("/x", false)).want(t, tree.NoNode)
		f.Remove()
		a.next().want(t, tree.OK)
		b.call(OpExists, read("/x", false)).want(t, tree.OK)

		// What is held doesn't outlive its session.
		s.Hold(Match{Path: "/y"})
		go a.send(OpCreate, create("/y", 0))
		a.next().wantEnd(t)
		if _, _, ok := s.Get("/y"); ok {
			t.Error("a request of an expired session was applied")
		}
	})
}

func TestMatch(t *testing.T) {
	op := func(op Op, paths ...string) request { return request{op: op, paths: paths} }
	for _, test := range []struct {
		match   Match
		session int64
		req     request
		want    bool
	}{
		{Match{}, 1, op(OpCreate, "/a"), true},
		{Match{}, 1, op(OpPing), false},
		{Match{Op: OpPing}, 1, op(OpPing), true},
		{Match{Op: OpDelete}, 1, op(OpCreate, "/a"), false},
		{Match{Session: 2}, 1, op(OpCreate, "/a"), false},
		{Match{Session: 1}, 1, op(OpCreate, "/a"), true},
		{Match{Path: "/a"}, 1, op(OpCreate, "/a"), true},
		{Match{Path: "/a"}, 1, op(OpCreate, "/a/b"), false},
		{Match{Path: "/a*"}, 1, op(OpCreate, "/a/b"), true},
		{Match{Path: "/a/*"}, 1, op(OpCreate, "/b"), false},
		{Match{Path: "/b"}, 1, op(OpMulti, "/a", "/b"), true},
		{Match{Path: "/c"}, 1, op(OpMulti, "/a", "/b"), false},
		{Match{Path: "/a"}, 1, op(OpAuth), false},
	} {
		if got := test.match.covers(test.session, test.req); got != test.want {
			t.Errorf("%+v covers %+v: %v, want %v", test.match, test.req, got, test.want)
		}
	}
}

// TestSkipAndTimes: which of five matching requests are struck.
func TestSkipAndTimes(t *testing.T) {
	for _, test := range []struct {
		skip, times int
		want        string
	}{
		{0, 0, "x----"}, {0, 1, "x----"}, {2, 0, "--x--"}, {1, 2, "-xx--"}, {3, -1, "---xx"}, {0, -1, "xxxxx"},
	} {
		s := &Server{}
		f := s.Reject(Match{Skip: test.skip, Times: test.times}, tree.NoAuth)
		var got strings.Builder
		for range 5 {
			if s.faults.match(1, request{op: OpCreate}) == f {
				got.WriteString("x")
			} else {
				got.WriteString("-")
			}
		}
		if got.String() != test.want {
			t.Errorf("skip %d, times %d: %s, want %s", test.skip, test.times, got.String(), test.want)
		}
	}
}
