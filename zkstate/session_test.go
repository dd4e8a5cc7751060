package zkstate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
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
