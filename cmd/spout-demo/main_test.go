package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kspout/kspout/spouttest"
)

// asCommand makes the test binary be spout-demo.
const asCommand = "SPOUT_DEMO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// An invocation is one run of the command line, which may still be going on.
type invocation struct {
	t      *testing.T
	out    *lockedBuffer
	err    *lockedBuffer
	cancel func()
	done   chan struct{}
	code   int
}

// A lockedBuffer is a buffer that can be read while it is written to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// begin starts a run. It ends with the test at the latest.
func begin(t *testing.T, stdin io.Reader, args ...string) *invocation {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v := &invocation{t: t, out: &lockedBuffer{}, err: &lockedBuffer{}, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		v.code = run(ctx, args, stdin, v.out, v.err)
	}()
	t.Cleanup(func() {
		cancel()
		<-v.done
	})
	return v
}

// patience is how long tests wait for what has to come.
const patience = 60 * time.Second

// end waits for the run and returns its exit code.
func (v *invocation) end() int {
	v.t.Helper()
	select {
	case <-v.done:
	case <-time.After(patience):
		v.t.Fatalf("it hasn't ended within %v; stderr:\n%s", patience, v.err)
	}
	return v.code
}

// until waits for a condition.
func (v *invocation) until(what string, ok func() bool) {
	v.t.Helper()
	eventually(v.t, what, func() bool {
		select {
		case <-v.done:
			if !ok() {
				v.t.Fatalf("waiting for %s: it ended with %d; stderr:\n%s", what, v.code, v.err)
			}
		default:
		}
		return ok()
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// cli runs one command line to its end.
func cli(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	v := begin(t, strings.NewReader(stdin), args...)
	code = v.end()
	return code, v.out.String(), v.err.String()
}

// ok runs one command line that has to succeed, and returns its output.
func ok(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := cli(t, stdin, args...)
	if code != exitDone {
		t.Fatalf("%q ended with %d; stderr:\n%s", args, code, stderr)
	}
	return stdout
}

// at returns args with the addresses of c put behind the command.
func at(c *spouttest.Cluster, args ...string) []string {
	with := []string{args[0], "-b", strings.Join(c.Brokers(), ",")}
	if args[0] == "tail" {
		with = append(with, "-z", c.ZooKeeper()[0], "--commit-interval", "50ms")
	}
	return append(with, args[1:]...)
}

// values returns records whose values are 0, 1, 2 and so on.
func numbered(n int) []spouttest.Record {
	rs := make([]spouttest.Record, n)
	for i := range rs {
		rs[i].Value = []byte(itoa(i))
	}
	return rs
}

func fill(t *testing.T, c *spouttest.Cluster, topic string, partition int32, rs ...spouttest.Record) {
	t.Helper()
	if _, err := c.Produce(t.Context(), topic, partition, rs...); err != nil {
		t.Fatal(err)
	}
}

// storedOffset returns what is stored for a partition, -1 if nothing is.
func storedOffset(t *testing.T, c *spouttest.Cluster, id, topic string, partition int32) int64 {
	t.Helper()
	cp, found, err := c.Stored(t.Context(), id, topic, partition)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return -1
	}
	return cp.Offset
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
