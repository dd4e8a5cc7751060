package realservers_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kspout/kspout/internal/realservers"
)

// orphanVariable makes this test binary start servers, print their process
// ids and end as its value says.
const orphanVariable = "KSPOUT_TEST_ORPHAN"

// orphan is the life of a process that doesn't close what it opened.
func orphan(kind string) {
	ctx := context.Background()
	z, err := realservers.OpenZooKeeper(ctx, realservers.ZooKeeperOptions{Dir: os.Getenv("KSPOUT_TEST_DIR")})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(z.Node(0).Pid())
	switch kind {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("as a test that times out does")
	case "killed":
		select {}
	}
}

// pidAlive reports whether a process runs. A zombie, which waits for its parent
// to take note, doesn't.
func pidAlive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

func TestServersDieWithTheProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no bond between a process and its children outside Linux")
	}
	realservers.Require(t)
	for _, kind := range []string{"exit", "panic", "killed"} {
		t.Run(kind, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), orphanVariable+"="+kind, "KSPOUT_TEST_DIR="+t.TempDir())
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			must(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("the process said %q", line)
			}
			if kind == "killed" {
				if !pidAlive(pid) {
					t.Fatalf("server %d is dead before its parent", pid)
				}
				must(t, cmd.Process.Kill())
			}
			_ = cmd.Wait() // it fails, by design
			eventually(t, func() error {
				if pidAlive(pid) {
					return fmt.Errorf("server %d outlives its parent", pid)
				}
				return nil
			})
		})
	}
}

func TestCloseEndsProcesses(t *testing.T) {
	var pids []int
	t.Run("inner", func(t *testing.T) {
		z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{Nodes: 3})
		for i := range z.Nodes() {
			pids = append(pids, z.Node(i).Pid())
		}
		must(t, z.Node(1).Pause())
	})
	for _, pid := range pids {
		if pidAlive(pid) {
			t.Errorf("process %d is alive after the test", pid)
		}
	}
}
