package zkstate

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/offsets"
)

// ZooKeeper is away for a minute, with and without the session living on: a Save
// that began meanwhile succeeds soon after. In a bubble: no minute passes.
func TestAwayForAMinute(t *testing.T) {
	for name, expire := range map[string]bool{"session lives": false, "session expires": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var pipe zkserver.Pipe
				srv, err := zkserver.Start(zkserver.Config{Listen: pipe.Listen})
				if err != nil {
					t.Fatal(err)
				}
				defer srv.Close()
				c, err := Connect(t.Context(), Config{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return pipe.Dial(ctx) }})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				s := newStore(t, c)
				saved(t, s, writes(300, 1, offsets.NoVersion))

				srv.Stop()
				done := make(chan []error, 1)
				go func() { done <- s.Save(context.Background(), writes(300, 2, 0)) }()
				time.Sleep(time.Minute)
				select {
				case errs := <-done:
					t.Fatalf("Save returned: %v", errs[0])
				default:
				}
				if expire {
					srv.ExpireSession(c.Session().ID)
				}
				if err := srv.Restart(); err != nil {
					t.Fatal(err)
				}
				back := time.Now()
				for i, err := range <-done {
					if err != nil {
						t.Errorf("write %d: %v", i, err)
					}
				}
				if d := time.Since(back); d > 3*time.Second {
					t.Errorf("stored %s after ZooKeeper was back", d)
				}
			})
		})
	}
}
