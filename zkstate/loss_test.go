package zkstate

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
)

// Kafka's test: the server is killed under a batch of 10 with 2 in flight.
func TestConnectionLossInMidBatch(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t, func(cfg *Config) { cfg.MaxInFlight = 2 })
		reqs := make([]Request, 10)
		for i := range reqs {
			reqs[i] = Create{Path: "/s-", Sequential: true}
		}
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			st.stop(t)
		}()
		sawLoss := false
		for !sawLoss {
			last := ""
			for i, r := range c.Do(t.Context(), reqs...) {
				path := r.(*CreateResponse).Path
				switch {
				case errors.Is(r.Err(), ErrConnectionLoss):
					sawLoss = true
				case r.Err() != nil:
					t.Fatal(r.Err())
				case sawLoss:
					t.Fatalf("request %d was answered after a loss", i)
				case path <= last:
					t.Fatalf("%s after %s", path, last)
				}
				last = path
			}
		}
		<-killed
		err := c.Do(t.Context(), Get{Path: "/"})[0].Err()
		wantErr(t, err, ErrConnectionLoss, "get", "not sent")
		st.start(t)
		if err := c.WaitConnected(bounded(t, 20*time.Second)); err != nil {
			t.Fatal(err)
		}
		ask(t, c, Get{Path: "/"})
		// One may have waited in the library for the next connection.
		settled(t, c)
	})
}

// The session expires while a create of an ephemeral node waits for a
// connection: the library would create it in the next session.
func TestWaitingCreateFailsAsExpired(t *testing.T) {
	st := local(t)
	c := st.connect(t, func(cfg *Config) { cfg.Servers = append(slices.Clone(cfg.Servers), cfg.Servers[0]) })
	old := c.Session().ID
	st.stop(t)
	until(t, "disconnected", func() bool { return !c.Session().Connected })
	done := make(chan error)
	go func() {
		done <- c.Retry(bounded(t, 20*time.Second), Create{Path: "/e", Ephemeral: true})[0].Err()
	}()
	if !st.local.ExpireSession(old) {
		t.Fatal("no such session")
	}
	st.start(t)
	wantErr(t, <-done, ErrSessionExpired, "create", "/e", "not sent")
	if err := c.WaitConnected(bounded(t, 20*time.Second)); err != nil {
		t.Fatal(err)
	}
	wantErr(t, c.Do(t.Context(), Exists{Path: "/e"})[0].Err(), ErrNoNode)
}

// A request that the library holds back for the next connection isn't applied
// there: its caller was told that it's lost.
func TestRequestOfALostConnectionIsNotApplied(t *testing.T) {
	st := local(t)
	c := st.connect(t)
	ask(t, c, Create{Path: "/n"})
	// The connection is over, but the library doesn't know yet: what is
	// launched and then stranded is what a race would leave.
	s := c.session.Load()
	gen := s.look().gen
	<-s.turn
	b := newBatch(1)
	b.requests[0] = Set{Path: "/n", Data: []byte("late"), Version: AnyVersion}
	cl := &call{batch: b, gen: gen}
	if err := s.launch(cl); err != nil {
		t.Fatal(err)
	}
	s.lost(gen)
	<-b.answers
	wantErr(t, b.responses[0].Err(), ErrConnectionLoss, "not sent")
	resp := b.requests[0].call(s.conn, "") // the library's next frame
	s.returned(cl)
	if !lost(resp.Err()) {
		t.Errorf("the late request has %v, want a loss", resp.Err())
	}
	if got, stat := get(t, c, "/n"); got != "" || stat.Version != 0 {
		t.Errorf("stored %q, version %d", got, stat.Version)
	}
}

func TestRetryRepeatsWhatWasLost(t *testing.T) {
	st := local(t)
	c := st.connect(t)
	cut := st.local.CutBeforeApply(zkserver.Match{Op: zkserver.OpCreate, Path: "/b"})
	defer cut.Remove()
	ask(t, c, Create{Path: "/a"}, Create{Path: "/b"}, Create{Path: "/c"})
	lose := st.local.LoseReply(zkserver.Match{Op: zkserver.OpCreate, Path: "/d"})
	defer lose.Remove()
	resps := c.Retry(bounded(t, 20*time.Second), Create{Path: "/d"}, Create{Path: "/e"})
	wantErr(t, resps[0].Err(), ErrNodeExists, "/d") // its own
	if resps[1].Err() != nil {
		t.Error(resps[1].Err())
	}
}

func TestContextEndsARequest(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t, func(cfg *Config) { cfg.MaxInFlight = 3 })
		ask(t, c, Create{Path: "/n"})
		st.pause(t)
		try := func(reqs ...Request) []Response {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			return c.Do(ctx, reqs...)
		}
		// A real process stops a moment after the signal.
		until(t, "paused", func() bool { return try(Get{Path: "/n"})[0].Err() != nil })
		resps := try(Get{Path: "/n"}, Get{Path: "/n"}, Get{Path: "/n"})
		wantErr(t, resps[0].Err(), context.DeadlineExceeded, "get /n", "outcome unknown")
		wantErr(t, resps[2].Err(), context.DeadlineExceeded, "get /n", "not sent")
		if got := len(c.permits); got != 0 {
			t.Errorf("%d permits are back before the answers", got)
		}
		st.resume(t)
		settled(t, c)
		ask(t, c, Get{Path: "/n"})
	})
}

// ZooKeeper is away and comes back: the session lives on, without the second's
// stall that the library has with one server.
func TestReconnectToASingleServerIsPrompt(t *testing.T) {
	st := local(t)
	c := st.connect(t)
	ask(t, c, Create{Path: "/e", Ephemeral: true})
	before := c.Session()
	for range 3 {
		start := time.Now()
		st.local.DropConn(before.ID)
		until(t, "disconnected", func() bool { return !c.Session().Connected || time.Since(start) > 100*time.Millisecond })
		ask(t, c, Get{Path: "/e"})
		if d := time.Since(start); d > 900*time.Millisecond {
			t.Errorf("back after %s", d)
		}
	}
	if after := c.Session(); after != before {
		t.Errorf("session was %+v, is %+v", before, after)
	}
}

func TestAwayAndBackKeepsTheSession(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		ask(t, c, Create{Path: "/e", Ephemeral: true})
		before := c.Session()
		st.stop(t)
		until(t, "disconnected", func() bool { return !c.Session().Connected })
		st.start(t)
		ask(t, c, Get{Path: "/e"})
		if after := c.Session(); after != before {
			t.Errorf("session was %+v, is %+v", before, after)
		}
	})
}

// No hot loop while nobody answers, or while a server cuts what it accepted.
func TestReconnectBacksOff(t *testing.T) {
	st := local(t)
	var tap tap
	c := st.connect(t, quietly, tap.into)
	st.local.RefuseDials(true)
	st.local.DropConn(c.Session().ID)
	before := tap.dialed()
	time.Sleep(500 * time.Millisecond) // the length of what is counted
	if n := tap.dialed() - before; n > 12 {
		t.Errorf("%d dials in 500ms", n)
	}
	st.local.RefuseDials(false)
	ask(t, c, Get{Path: "/"})
}
