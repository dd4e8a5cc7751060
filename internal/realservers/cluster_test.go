package realservers

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReservePorts(t *testing.T) {
	a, err := reservePorts(50)
	if err != nil {
		t.Fatal(err)
	}
	defer releasePorts(a)
	var seen []int
	for _, p := range a {
		if p.number < portLow || p.number >= portHigh || slices.Contains(seen, p.number) {
			t.Errorf("port %d is out of range or given twice", p.number)
		}
		seen = append(seen, p.number)
	}
	// A reserved port is nobody else's, though nothing listens on it.
	path := filepath.Join(cacheDir(), "ports", strings.TrimPrefix(a[0].addr(), "127.0.0.1:"))
	if unlock, ok, err := tryLock(path); ok || err != nil {
		t.Errorf("the lock of a reserved port: %t, %v, want held", ok, err)
		if ok {
			unlock()
		}
	}
}

// TestOpenTakesOtherPorts has a stranger take a server's port between its
// choice and its use.
func TestOpenTakesOtherPorts(t *testing.T) {
	in, err := findInstall(t.Context(), zooKeeperBundle(ZooKeeperVersion))
	require(t, err)
	for _, which := range []int{0, 2} { // the clients' and the election's port
		var stranger net.Listener
		attempts := 0
		count := 1 + which // there is no election for one
		if count != 1 {
			count = 3
		}
		c, err := openCluster(t.Context(), t.TempDir(), count, 3, func(dir string, ports [][]port) ([]*Node, error) {
			if attempts++; attempts == 1 {
				var err error
				if stranger, err = net.Listen("tcp4", ports[0][which].addr()); err != nil {
					return nil, err
				}
			}
			var nodes []*Node
			for i := range ports {
				n, err := newZooKeeperNode(in, dir, i, ports, ZooKeeperOptions{})
				if err != nil {
					return nil, err
				}
				nodes = append(nodes, n)
			}
			return nodes, nil
		})
		stranger.Close()
		if err != nil || attempts != 2 {
			t.Fatalf("port %d: %d attempts, %v, want a success by the second", which, attempts, err)
		}
		c.Close()
	}
}

// sleeper is a node that never serves.
func sleeper(dir string) *Node {
	return &Node{
		name: "sleeper", dir: dir,
		command: func() *exec.Cmd {
			return exec.Command("sh", "-c", "echo line one; trap '' TERM; exec sleep 60")
		},
		ready: func(context.Context) error { return errors.New("never") },
	}
}

func TestStartKillsWhatDoesNotServe(t *testing.T) {
	n := sleeper(t.TempDir())
	if err := n.Await(t.Context()); err == nil {
		t.Error("Await before the first start: no error")
	}
	if err := n.Pause(); err == nil {
		t.Error("Pause before the first start: no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*askInterval)
	defer cancel()
	err := n.Start(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "line one") {
		t.Errorf("Start = %v, want the deadline and the log", err)
	}
	if n.Running() {
		t.Error("runs after a failed Start")
	}

	// What somebody else launched is not Start's to kill.
	if err := n.Launch(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 2*askInterval)
	defer cancel()
	if err := n.Start(ctx); err == nil || !n.Running() {
		t.Errorf("Start of a running node: %v, running %t, want an error and true", err, n.Running())
	}
	if err := n.Stop(ctx); err == nil || n.Running() {
		t.Errorf("Stop of a node deaf to it: %v, running %t, want an error and false", err, n.Running())
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if err := n.Kill(); err != nil {
		t.Errorf("Kill of a dead node: %v", err)
	}
}
