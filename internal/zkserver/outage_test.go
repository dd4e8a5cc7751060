package zkserver

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

func TestExpireSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		a, b := pipe.connect(t, 10*time.Second), pipe.connect(t, 10*time.Second)
		for _, path := range []string{"/1", "/2", "/3"} {
			a.call(OpCreate, create(path, tree.Ephemeral)).want(t, tree.OK)
			b.call(OpExists, read(path, true)).want(t, tree.OK)
		}
		if got := s.Sessions(); len(got) != 2 || !got[0].Connected || !slices.Equal(got[0].Ephemerals, []string{"/1", "/2", "/3"}) {
			t.Errorf("sessions %+v", got)
		}
		if !s.ExpireSession(a.session) || s.ExpireSession(a.session) {
			t.Error("ExpireSession doesn't know whether there is one")
		}
		a.next().wantEnd(t)
		zxids := map[int64]bool{}
		for range 3 {
			ev := b.next()
			if typ := tree.EventType(ev.body.Int32()); ev.xid != xidEvent || typ != tree.Deleted {
				t.Errorf("told %+v", ev)
			}
			zxids[ev.zxid] = true
		}
		if len(zxids) != 1 {
			t.Errorf("%d transactions, want 1", len(zxids))
		}
		if pipe.dial(t).open(a.timeout, a.session, a.passwd) {
			t.Error("resumed an expired session")
		}
	})
}

// TestDropConn: the session of a cut connection can be resumed until its time
// is over.
func TestDropConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{Tick: 500 * time.Millisecond})
		c := pipe.connect(t, 5*time.Second)
		c.call(OpCreate, create("/e", tree.Ephemeral)).want(t, tree.OK)
		if !s.DropConn(c.session) {
			t.Fatal("no connection")
		}
		c.next().wantEnd(t)
		synctest.Wait()
		if s.DropConn(c.session) {
			t.Error("a connection after the cut")
		}
		time.Sleep(4900 * time.Millisecond)
		again := pipe.dial(t)
		if !again.open(c.timeout, c.session, c.passwd) {
			t.Fatal("the session ended early")
		}
		s.DropConn(c.session)
		time.Sleep(4900 * time.Millisecond)
		if _, _, ok := s.Get("/e"); !ok {
			t.Error("the node went before the session's time was over")
		}
		time.Sleep(700 * time.Millisecond)
		if _, _, ok := s.Get("/e"); ok {
			t.Error("the node outlived its session")
		}
	})
}

// TestPause: nothing moves, and no time passes for sessions.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c, idle := pipe.connect(t, time.Second), pipe.connect(t, time.Second)
		s.Pause()
		s.Pause() // again: nothing
		asked := make(chan told)
		go func() { asked <- c.call(OpCreate, create("/x", tree.Ephemeral)) }()
		late := pipe.dial(t) // it is accepted
		go late.open(time.Second, 0, make([]byte, 16))
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, _, ok := s.Get("/x"); ok || len(s.Sessions()) != 2 {
			t.Error("a paused server works")
		}
		s.Resume()
		(<-asked).want(t, tree.OK)
		time.Sleep(900 * time.Millisecond) // of the second that each has, and past a tick
		if n := len(s.Sessions()); n != 3 {
			t.Errorf("%d sessions, want 3", n)
		}
		idle.call(OpPing, nil).want(t, tree.OK)
		time.Sleep(2 * time.Second)
		if n := len(s.Sessions()); n != 0 {
			t.Errorf("%d sessions after the pause are for ever", n)
		}
	})
}

// TestPauseHoldsReplies: what was executed before a pause isn't sent in it.
func TestPauseHoldsReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		s.DelayReply(Match{}, time.Second)
		start := time.Now()
		go c.send(OpCreate, create("/x", 0))
		synctest.Wait()
		s.Pause()
		time.AfterFunc(5*time.Second, s.Resume)
		c.next().want(t, tree.OK)
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("answered after %v, want 5s", d)
		}
	})
}

// TestIsolate: the client of an isolated session hears nothing, while the
// others see the session end.
func TestIsolate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c, other := pipe.connect(t, 2*time.Second), pipe.connect(t, 10*time.Second)
		c.call(OpCreate, create("/e", tree.Ephemeral)).want(t, tree.OK)
		other.call(OpExists, read("/e", true)).want(t, tree.OK)
		s.Isolate(c.session)
		isolated := time.Now()
		answer := make(chan told)
		go func() { answer <- c.call(OpSetData, set("/e", "x")) }()
		if ev := other.next(); ev.xid != xidEvent || tree.EventType(ev.body.Int32()) != tree.Deleted {
			t.Errorf("told %+v, want the deletion", ev)
		}
		if d := time.Since(isolated); d < 2*time.Second || d > 2500*time.Millisecond {
			t.Errorf("the session ended after %v, want 2s to 2.5s", d)
		}
		resumed := make(chan bool)
		again := pipe.dial(t)
		go func() { resumed <- again.open(c.timeout, c.session, c.passwd) }()
		time.Sleep(5 * time.Second)
		select {
		case f := <-answer:
			t.Errorf("an isolated client was told %+v", f)
		case <-resumed:
			t.Error("an isolated client has connected")
		default:
		}
		s.Rejoin(c.session)
		(<-answer).wantEnd(t)
		if <-resumed {
			t.Error("resumed an expired session")
		}
	})
}

// TestRejoin: a session that is isolated for less than its timeout lives on.
func TestRejoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 2*time.Second)
		s.Isolate(c.session)
		time.AfterFunc(1900*time.Millisecond, func() { s.Rejoin(c.session) })
		c.call(OpCreate, create("/e", tree.Ephemeral)).want(t, tree.OK)
	})
}

func TestRefuseDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pipe := startPipe(t, Config{})
		c := pipe.connect(t, 10*time.Second)
		s.RefuseDials(true)
		pipe.dial(t).next().wantEnd(t)
		c.call(OpCreate, create("/x", 0)).want(t, tree.OK) // is not touched
		s.RefuseDials(false)
		pipe.connect(t, 10*time.Second)
	})
}
