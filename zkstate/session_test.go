package zkstate

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
)

func TestSessionTellsWhatTheServerGranted(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t, func(cfg *Config) { cfg.SessionTimeout = time.Minute })
		s := c.Session()
		if want := 10 * time.Second; s.Timeout != want || s.ID == 0 || !s.Connected { // 20 ticks
			t.Errorf("session is %+v, want %s granted", s, want)
		}
		ask(t, c, Create{Path: "/e", Ephemeral: true})
		if _, stat := get(t, c, "/e"); stat.EphemeralOwner != s.ID {
			t.Errorf("owner is %x, session is %x", stat.EphemeralOwner, s.ID)
		}
	})
}

// journal collects what happened, in order.
type journal struct {
	mu     sync.Mutex
	events []string
}

func (j *journal) add(e string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.events)
}

func TestExpiryMakesANewSession(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		ask(t, c, Create{Path: "/e", Ephemeral: true}, Create{Path: "/p"})
		old := c.Session().ID
		var j journal
		c.OnSession(SessionHandler{
			BeforeSession: func(ctx context.Context) {
				err := c.Do(ctx, Exists{Path: "/p"})[0].Err()
				if !errors.Is(err, ErrSessionExpired) {
					t.Errorf("before: %v, want expired", err)
				}
				j.add("before")
			},
			AfterSession: func(ctx context.Context) {
				r := c.Do(ctx, Exists{Path: "/p"}, Exists{Path: "/e"})
				if r[0].Err() != nil || !errors.Is(r[1].Err(), ErrNoNode) {
					t.Errorf("after: %v, %v", r[0].Err(), r[1].Err())
				}
				j.add("after")
			},
		})
		removed := c.OnSession(SessionHandler{BeforeSession: func(context.Context) { j.add("removed") }})
		removed()
		for round := range 3 {
			st.expire(t, c)
			until(t, "after", func() bool { return len(j.all()) == 2*(round+1) })
		}
		if got, want := j.all(), []string{"before", "after", "before", "after", "before", "after"}; !slices.Equal(got, want) {
			t.Errorf("events are %v, want %v", got, want)
		}
		if c.Session().ID == old {
			t.Error("the session is still the old one")
		}
		settled(t, c)
	})
}

// Kafka's test: one BeforeSession panics; the others run.
func TestPanicOfAHandlerIsIsolated(t *testing.T) {
	st := local(t)
	c := st.connect(t, quietly)
	var j journal
	c.OnSession(SessionHandler{BeforeSession: func(context.Context) { panic("no") }, AfterSession: func(context.Context) { panic("no") }})
	c.OnSession(SessionHandler{BeforeSession: func(context.Context) { j.add("before") }, AfterSession: func(context.Context) { j.add("after") }})
	st.expire(t, c)
	until(t, "after", func() bool { return slices.Equal(j.all(), []string{"before", "after"}) })
	ask(t, c, Create{Path: "/n"})
}

// KAFKA-6879: BeforeSession waits for a request that another goroutine makes.
func TestBeforeSessionMayWaitForARequest(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		done := make(chan struct{})
		c.OnSession(SessionHandler{
			BeforeSession: func(ctx context.Context) {
				answered := make(chan struct{})
				go func() {
					c.Do(ctx, Exists{Path: "/"})
					close(answered)
				}()
				select {
				case <-answered:
				case <-ctx.Done():
				}
			},
			AfterSession: func(context.Context) { close(done) },
		})
		st.expire(t, c)
		within(t, 20*time.Second, "a new session", done)
	})
}

// KAFKA-6517: the session expires in the middle of a batch of 5 x MaxInFlight.
func TestExpiryInMidBatchAnswersAll(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t, func(cfg *Config) { cfg.MaxInFlight = 10 })
		for range 5 {
			reqs := make([]Request, 5*10)
			for i := range reqs {
				reqs[i] = Get{Path: "/missing"}
			}
			expired := make(chan struct{})
			go func() {
				defer close(expired)
				st.expire(t, c)
			}()
			lostOnes := 0
			for lostOnes == 0 {
				over := false // nothing is applied after what is lost
				for i, r := range c.Do(t.Context(), reqs...) {
					switch err := r.Err(); {
					case lost(err):
						lostOnes++
						over = true
					case !errors.Is(err, ErrNoNode):
						t.Fatalf("request %d: %v", i, err)
					case over:
						t.Fatalf("request %d was answered after one that was lost", i)
					}
				}
			}
			<-expired
			if err := c.WaitConnected(bounded(t, 20*time.Second)); err != nil {
				t.Fatal(err)
			}
			settled(t, c)
		}
	})
}

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
	gen, _, _, _ := s.look()
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
		c := st.connect(t, func(cfg *Config) { cfg.MaxInFlight = 2 })
		ask(t, c, Create{Path: "/n"})
		st.pause(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		resps := c.Do(ctx, Get{Path: "/n"}, Get{Path: "/n"}, Get{Path: "/n"})
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

func TestConnectSaysWhatIsWrong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	t.Run("silent", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{Servers: []string{addr}})
		wantErr(t, err, context.DeadlineExceeded, addr, "doesn't grant a session")
	})
	l.Close()
	t.Run("nobody", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{Servers: []string{addr}})
		wantErr(t, err, context.DeadlineExceeded, addr, "refused", "check")
	})
	t.Run("no such host", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{
			Servers: []string{"zk.invalid"},
			Dial: func(_ context.Context, network, address string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "zk.invalid"}}
			},
		})
		wantErr(t, err, context.DeadlineExceeded, "zk.invalid:2181", "no such host")
	})
	t.Run("settings", func(t *testing.T) {
		_, err := Connect(t.Context(), Config{Servers: []string{"a:b:c"}, SessionTimeout: -1, MaxInFlight: -1, MaxRequest: -1})
		for _, field := range []string{"Servers", "SessionTimeout", "MaxInFlight", "MaxRequest"} {
			if err == nil || !strings.Contains(err.Error(), "Config."+field) {
				t.Errorf("error %v doesn't name %s", err, field)
			}
		}
	})
}

// A name that can't be resolved, or a server that isn't there, is waited for.
func TestConnectWaits(t *testing.T) {
	st := local(t)
	addr := st.servers[0]
	tries := 0
	c, err := Connect(bounded(t, 20*time.Second), Config{
		Servers: []string{"zk.invalid"},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if tries++; tries < 4 {
				return nil, &net.DNSError{Err: "no such host", Name: address}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// A server that takes connections and says nothing is passed over.
func TestSilentServerIsPassedOver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	st := local(t)
	took(t, 10*time.Second, func() {
		for range 3 { // the first one to be tried is random
			st.connect(t, quietly, func(cfg *Config) {
				cfg.Servers = append(slices.Clone(cfg.Servers), l.Addr().String())
				cfg.SessionTimeout = 3 * time.Second
			})
		}
	})
}

func TestClose(t *testing.T) {
	bound := 2500 * time.Millisecond
	onBoth(t, func(t *testing.T, st *stage) {
		t.Run("ends the session", func(t *testing.T) {
			c, other := st.connect(t), st.connect(t)
			ask(t, c, Create{Path: "/e", Ephemeral: true})
			took(t, 500*time.Millisecond, c.Close)
			wantErr(t, retried(t, other, Exists{Path: "/e"}), ErrNoNode)
			wantErr(t, c.Do(t.Context(), Get{Path: "/"})[0].Err(), ErrClosed, "not sent")
			wantErr(t, c.Retry(t.Context(), Get{Path: "/"})[0].Err(), ErrClosed)
			wantErr(t, c.WaitConnected(t.Context()), ErrClosed)
			c.Close()
		})
		t.Run("with requests in flight", func(t *testing.T) {
			c := st.connect(t)
			st.pause(t)
			done := make(chan error, 1)
			go func() { done <- c.Do(t.Context(), Get{Path: "/"})[0].Err() }()
			until(t, "in flight", func() bool { return len(c.permits) < c.cfg.MaxInFlight })
			took(t, bound, c.Close)
			wantErr(t, <-done, ErrClosed)
			st.resume(t)
		})
		t.Run("while ZooKeeper is away", func(t *testing.T) {
			c := st.connect(t)
			st.stop(t)
			until(t, "disconnected", func() bool { return !c.Session().Connected })
			done := make(chan error, 1)
			go func() { done <- c.Retry(context.Background(), Get{Path: "/"})[0].Err() }()
			took(t, bound, c.Close)
			wantErr(t, <-done, ErrClosed)
			st.start(t)
		})
		t.Run("while handlers run", func(t *testing.T) {
			c := st.connect(t)
			running := make(chan struct{})
			c.OnSession(SessionHandler{BeforeSession: func(ctx context.Context) { close(running); <-ctx.Done() }})
			st.expire(t, c)
			within(t, 20*time.Second, "the handler", running)
			took(t, bound, c.Close)
		})
	})
}

// KAFKA-8121: Close while a new session is being made leaves none on the server.
func TestCloseWhileASessionIsMade(t *testing.T) {
	st := local(t)
	other := st.connect(t)
	for i := range 10 {
		c := st.connect(t, quietly)
		c.OnSession(SessionHandler{AfterSession: func(ctx context.Context) {
			c.Do(ctx, Create{Path: "/e", Ephemeral: true})
		}})
		st.expire(t, c)
		time.Sleep(time.Duration(i) * time.Millisecond) // spreads Close over the making
		c.Close()
		s := c.session.Load()
		if id := s.granted.id; id != 0 && st.local.ExpireSession(id) {
			t.Errorf("round %d: session %x is left", i, id)
		}
	}
	wantErr(t, retried(t, other, Exists{Path: "/e"}), ErrNoNode)
}

// 100 x open, expire, close.
func TestNoGoroutineIsLeft(t *testing.T) {
	st := local(t)
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 10 {
				c, err := Connect(context.Background(), Config{Servers: st.servers})
				if err != nil {
					t.Error(err)
					return
				}
				st.local.ExpireSession(c.Session().ID)
				c.Do(context.Background(), Get{Path: "/"})
				c.Close()
			}
		})
	}
	wg.Wait()
	until(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= before })
}

// retried returns the error of one request that isn't lost.
func retried(t *testing.T, c *Client, req Request) error {
	t.Helper()
	return c.Retry(bounded(t, 20*time.Second), req)[0].Err()
}

func quietly(cfg *Config) { cfg.Logger = Config{}.Logger }

// took checks how long f takes.
func took(t *testing.T, bound time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d > bound {
		t.Errorf("took %s, want at most %s", d, bound)
	}
}

func within(t *testing.T, d time.Duration, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("after %s: no %s", d, what)
	}
}
