package realservers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/kspout/kspout/internal/realservers"
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func connect(t *testing.T, z *realservers.ZooKeeper) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect(z.Addrs(), 8*time.Second, zk.WithLogger(quiet{}))
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// eventually calls do until it returns nil, for 20 s.
func eventually(t *testing.T, do func() error) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func wantData(t *testing.T, c *zk.Conn, path, want string) {
	t.Helper()
	eventually(t, func() error {
		data, _, err := c.Get(path)
		if err == nil && string(data) != want {
			t.Fatalf("%s holds %q, want %q", path, data, want)
		}
		return err
	})
}

func TestZooKeeperKeepsDataOverKill(t *testing.T) {
	z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{})
	c := connect(t, z)
	_, err := c.Create("/a", []byte("one"), 0, zk.WorldACL(zk.PermAll))
	must(t, err)
	n, pid := z.Node(0), z.Node(0).Pid()
	must(t, n.Kill())
	if n.Running() || pidAlive(pid) {
		t.Fatalf("process %d is alive after Kill", pid)
	}
	must(t, n.Start(t.Context()))
	wantData(t, c, "/a", "one")
	must(t, n.Stop(t.Context()))
	must(t, n.Start(t.Context()))
	wantData(t, c, "/a", "one")

	must(t, n.Pause())
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := n.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a paused server: %v, want %v", err, context.DeadlineExceeded)
	}
	must(t, n.Resume())
	wantData(t, c, "/a", "one")
	must(t, n.Pause())
	must(t, n.Stop(t.Context())) // resumes first
}

func TestZooKeeperSurvivesItsLeader(t *testing.T) {
	z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{Nodes: 3})
	c := connect(t, z)
	_, err := c.Create("/a", []byte("one"), 0, zk.WorldACL(zk.PermAll))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, err := z.Leader(ctx)
	must(t, err)
	must(t, z.Node(first).Kill())
	second, err := z.Leader(ctx)
	must(t, err)
	if second == first {
		t.Fatalf("node %d leads and is dead", first)
	}
	eventually(t, func() error {
		_, err := c.Set("/a", []byte("two"), -1)
		return err
	})
	must(t, z.Node(first).Start(ctx))

	// The one that was away has it too.
	only, _, err := zk.Connect([]string{z.Node(first).Addr()}, 8*time.Second, zk.WithLogger(quiet{}))
	must(t, err)
	defer only.Close()
	wantData(t, only, "/a", "two")

	must(t, z.KillAll())
	must(t, z.StartAll(ctx))
	wantData(t, c, "/a", "two")
}

func TestZooKeeperPausedLeader(t *testing.T) {
	z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{Nodes: 3})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, err := z.Leader(ctx)
	must(t, err)
	must(t, z.Node(first).Pause())
	second, err := z.Leader(ctx)
	must(t, err)
	if second == first {
		t.Fatalf("node %d leads and is paused", first)
	}
	must(t, z.Node(first).Resume())
	must(t, z.Node(first).Await(ctx))
}
