package integration

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A tail is a running process of spout-demo tail with JSON output. It is killed
// at the end of the test at the latest.
//
// Two goroutines serve it: one waits for the process, one reads its output. Both
// end when the process does, and the end of the test waits for them.
type tail struct {
	t      *testing.T
	topic  string
	cmd    *exec.Cmd
	stderr transcript
	done   chan struct{} // closed when the process has ended and all is read
	err    error         // of exec.Cmd.Wait; to be read after done

	mu    sync.Mutex
	out   bytes.Buffer
	lines int
	limit int        // at that many lines nothing more is read: the process is held up
	open  *sync.Cond // signalled when limit changes
}

// unlimited is a limit that is never reached.
const unlimited = 1 << 62

// startTail starts a tail of topic that is held up after limit lines.
func (s servers) startTail(t *testing.T, topic string, limit int, args ...string) *tail {
	t.Helper()
	tl := &tail{t: t, topic: topic, done: make(chan struct{}), limit: limit}
	tl.open = sync.NewCond(&tl.mu)
	args = append([]string{
		"tail", "-b", strings.Join(s.kafka.Brokers(), ","), "-z", strings.Join(s.zk.Addrs(), ","),
		"--root", root, "--id", id, "-t", topic, "--output", "json",
	}, args...)
	tl.cmd = exec.Command(demo.path(t), args...)
	tl.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SPOUT_") && !strings.HasPrefix(v, passwordVariable)
	})
	dieWithParent(tl.cmd)
	if err := tl.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tl.end)
	return tl
}

func (tl *tail) start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	tl.cmd.Stdout, tl.cmd.Stderr = w, &tl.stderr
	var wg sync.WaitGroup
	started := make(chan error, 1)
	wg.Go(func() {
		// Linux takes the death of the thread that forked for that of the parent.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := tl.cmd.Start()
		w.Close()
		started <- err
		if err == nil {
			tl.err = tl.cmd.Wait()
		}
	})
	if err := <-started; err != nil {
		r.Close()
		return err
	}
	wg.Go(func() { tl.read(r) })
	go func() {
		wg.Wait()
		close(tl.done)
	}()
	return nil
}

// read takes lines until the process closes its output.
func (tl *tail) read(r io.ReadCloser) {
	defer r.Close()
	buffered := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := buffered.ReadSlice('\n')
		tl.mu.Lock()
		tl.out.Write(line)
		if err == nil {
			tl.lines++
		}
		for tl.lines >= tl.limit {
			tl.open.Wait()
		}
		tl.mu.Unlock()
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

// hold lets the process go on until it has written limit lines.
func (tl *tail) hold(limit int) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.limit = limit
	tl.open.Broadcast()
}

func (tl *tail) count() int {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return tl.lines
}

// await waits until the process has written n lines.
func (tl *tail) await(n int) {
	tl.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for tl.count() < n {
		select {
		case <-tick.C:
		case <-tl.done:
			if tl.count() < n {
				tl.t.Fatalf("tail %s ended (%v) after %d lines, want %d; stderr:\n%s", tl.topic, tl.err, tl.count(), n, tl.said())
			}
		case <-deadline:
			tl.t.Fatalf("tail %s: after %v %d lines, want %d", tl.topic, patience, tl.count(), n)
		}
	}
}

// kill ends the process by SIGKILL and waits until it is gone.
func (tl *tail) kill() {
	_ = tl.cmd.Process.Kill() // fails only if it is gone
	tl.hold(unlimited)
	<-tl.done
}

// terminate sends SIGTERM.
func (tl *tail) terminate() {
	tl.t.Helper()
	if err := tl.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		tl.t.Fatal(err)
	}
}

// exits waits for the end of the process and fails the test if it doesn't exit
// with code.
func (tl *tail) exits(code int) {
	tl.t.Helper()
	select {
	case <-tl.done:
	case <-time.After(patience):
		tl.t.Fatalf("tail %s: doesn't end within %v, %d lines", tl.topic, patience, tl.count())
	}
	if got := tl.cmd.ProcessState.ExitCode(); got != code {
		tl.t.Fatalf("tail %s: %v, want exit code %d; stderr:\n%s", tl.topic, tl.cmd.ProcessState, code, tl.said())
	}
}

// said returns what was written to standard error until now.
func (tl *tail) said() string { return tl.stderr.String() }

// deliveries returns what was written until now.
func (tl *tail) deliveries() []delivery {
	tl.t.Helper()
	tl.mu.Lock()
	text := bytes.Clone(tl.out.Bytes())
	tl.mu.Unlock()
	ds, err := parseDeliveries(text)
	if err != nil {
		tl.t.Fatal(err)
	}
	return ds
}

// end is the end of the test. Output is kept if it failed.
func (tl *tail) end() {
	tl.kill()
	if !tl.t.Failed() {
		return
	}
	base := filepath.Join(tl.t.ArtifactDir(), "tail-"+tl.topic+"-"+time.Now().Format("150405.000000"))
	for name, text := range map[string][]byte{base + ".out": tl.out.Bytes(), base + ".err": []byte(tl.said())} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			tl.t.Log(err)
		}
	}
	tl.t.Logf("stderr of the tail of %s:\n%s", tl.topic, tl.said())
}

// A transcript is what a process writes to its standard error.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (tr *transcript) Write(p []byte) (int, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.text.Write(p)
}

func (tr *transcript) String() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.text.String()
}
