package zkstate

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

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
			go func() {
				var err error
				for err == nil { // a real process stops a moment after the signal
					err = c.Do(t.Context(), Get{Path: "/"})[0].Err()
				}
				done <- err
			}()
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
