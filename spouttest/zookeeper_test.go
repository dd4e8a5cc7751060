package spouttest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spouttest"
)

// dialZooKeeper returns a session, and what happens to it.
func dialZooKeeper(t *testing.T, c *spouttest.Cluster) (*zk.Conn, <-chan zk.Event) {
	t.Helper()
	conn, events, err := zk.Connect(c.ZooKeeper(), 5*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	await(t, events, zk.StateHasSession)
	return conn, events
}

func await(t *testing.T, events <-chan zk.Event, want zk.State) {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case e := <-events:
			if e.State == want {
				return
			}
		case <-timeout:
			t.Fatalf("the client wasn't in %v within 20s", want)
		}
	}
}

func TestZooKeeperOutages(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{})
	conn, events := dialZooKeeper(t, c)
	id := conn.SessionID()

	c.CutZooKeeper()
	await(t, events, zk.StateHasSession)
	if conn.SessionID() != id {
		t.Errorf("CutZooKeeper ended the session")
	}
	if n := c.ExpireSessions(); n != 1 {
		t.Errorf("ExpireSessions = %d, want 1", n)
	}
	await(t, events, zk.StateExpired)
	await(t, events, zk.StateHasSession)

	if _, err := conn.Create("/a", []byte("1"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	c.StopZooKeeper()
	await(t, events, zk.StateDisconnected)
	if _, _, err := c.Node(t.Context(), "/a"); err == nil {
		t.Errorf("a stopped ZooKeeper answers")
	}
	if err := c.StartZooKeeper(); err != nil {
		t.Fatal(err)
	}
	await(t, events, zk.StateHasSession)

	lost := c.LoseReplies(1)
	_, err := conn.Multi(&zk.SetDataRequest{Path: "/a", Data: []byte("2"), Version: 0})
	if err == nil {
		t.Errorf("LoseReplies: the transaction was answered")
	}
	<-lost
	if got, ok, err := c.Node(t.Context(), "/a"); err != nil || !ok || string(got) != "2" {
		t.Errorf("LoseReplies: Node = %q, %t, %v; want what was written", got, ok, err)
	}
}

func TestStored(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{})
	if _, ok, err := c.Stored(t.Context(), "billing", "orders", 3); ok || err != nil {
		t.Errorf("Stored, with nothing stored = %t, %v", ok, err)
	}
	cp := offsets.Checkpoint{
		Partition: offsets.Partition{Topic: "orders", Number: 3}, ID: "billing", Instance: "billing",
		Offset: 42, LeaderEpoch: -1, AckedEpoch: -1,
	}
	data, err := cp.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := spouttest.Path("billing", "orders", 3)
	for range 2 { // it is made, then it is overwritten
		if err := c.SetNode(t.Context(), path, data); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok, err := c.Stored(t.Context(), "billing", "orders", 3); !ok || err != nil || got.Offset != 42 {
		t.Errorf("Stored = offset %d, %t, %v; want 42", got.Offset, ok, err)
	}
	if err := c.SetNode(t.Context(), path, []byte("{")); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.Stored(t.Context(), "billing", "orders", 3)
	if !errors.Is(err, offsets.ErrUnreadable) || !strings.Contains(err.Error(), path) {
		t.Errorf("Stored, with garbage = %v, want ErrUnreadable with the path", err)
	}
	for _, bad := range []string{"", "x", "/a/", "/a//b"} {
		if err := c.SetNode(t.Context(), bad, nil); err == nil {
			t.Errorf("SetNode(%q) = nil, want an error", bad)
		}
	}
}
