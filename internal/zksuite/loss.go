package zksuite

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// Tests of how the library loses connections and sessions.

// testLibraryOversize: a request that is too long costs the connection, not
// the session.
func testLibraryOversize(t *testing.T, srv Server) {
	c := connectLibrary(t, srv, nil)
	if _, err := c.Create("/liboversize", nil, zk.FlagEphemeral, open4all); err != nil {
		t.Fatal(err)
	}
	id := c.SessionID()
	_, err := c.Set("/liboversize", make([]byte, 1<<20), -1)
	var netErr net.Error
	if !errors.Is(err, zk.ErrConnectionClosed) && !errors.As(err, &netErr) {
		t.Errorf("set: %v, want the loss of the connection", err)
	}
	if err := retry(func() error { _, _, err := c.Get("/liboversize"); return err }); err != nil || c.SessionID() != id {
		t.Errorf("get: %v; session was %d, is %d", err, id, c.SessionID())
	}
}

// testLibraryRestart: the session, its nodes and watches outlive the server's
// process.
func testLibraryRestart(t *testing.T, srv Server) {
	c := connectLibrary(t, srv, nil)
	if _, err := c.Create("/librestart", nil, zk.FlagEphemeral, open4all); err != nil {
		t.Fatal(err)
	}
	id := c.SessionID()
	_, _, changed, err := c.GetW("/librestart")
	if err != nil {
		t.Fatal(err)
	}
	srv.Restart(t)
	if err := retry(func() error { _, _, err := c.Get("/librestart"); return err }); err != nil || c.SessionID() != id {
		t.Fatalf("get: %v; session was %d, is %d", err, id, c.SessionID())
	}
	other := connectLibrary(t, srv, nil)
	if _, err := other.Set("/librestart", nil, 0); err != nil {
		t.Fatal(err)
	}
	if ev := await(t, changed); ev.Type != zk.EventNodeDataChanged {
		t.Errorf("%+v", ev)
	}
}

// testLibraryExpiry: a session that somebody else ends is told to the client,
// with the session's nodes gone.
func testLibraryExpiry(t *testing.T, srv Server) {
	var wire sniffer
	expired := make(chan struct{}, 1)
	c, _, err := zk.Connect([]string{srv.Addr()}, 8*time.Second, zk.WithLogger(quiet{}), zk.WithDialer(wire.dial),
		zk.WithEventCallback(func(ev zk.Event) {
			if ev.State == zk.StateExpired {
				expired <- struct{}{}
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Create("/libexpiry", nil, zk.FlagEphemeral, open4all); err != nil {
		t.Fatal(err)
	}
	id, passwd := wire.session()
	thief := open(t, srv, hello{timeout: 8000, session: id, passwd: passwd})
	if f := thief.call(t, -11, nil); f.code != 0 {
		t.Fatalf("close: %d", f.code)
	}
	select {
	case <-expired:
	case <-time.After(patience):
		t.Fatal("the client isn't told")
	}
	other := connectLibrary(t, srv, nil)
	if there, _, err := other.Exists("/libexpiry"); there || err != nil {
		t.Errorf("the session's node: %v, %v", there, err)
	}
}
