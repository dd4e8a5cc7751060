//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kspout/kspout/spouttest"
)

// A process is spout-demo as a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout io.ReadCloser
	stderr *lockedBuffer
}

func startProcess(t *testing.T, stdin io.Reader, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(self, args...), stderr: &lockedBuffer{}}
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.cmd.Stdin, p.cmd.Stderr = stdin, p.stderr
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// firstLine waits for the first line of output.
func (p *process) firstLine() string {
	p.t.Helper()
	kill := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	l, err := bufio.NewReader(p.stdout).ReadString('\n')
	if err != nil {
		p.t.Fatalf("no line came: %v; stderr:\n%s", err, p.stderr)
	}
	return l
}

// exit waits for the end and returns the exit code, -1 if a signal was it.
func (p *process) exit() int {
	p.t.Helper()
	kill := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	err := p.cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func TestSignalsEndItCleanly(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	fill(t, c, "t", 0, numbered(3)...)
	file, w, err := os.Pipe() // which the process inherits, and nobody closes
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer file.Close()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range [][]string{
			at(c, "tail", "-t", "t", "--id", sig.String()),
			{"cluster", "--topic", "t:1"},
			at(c, "produce", "-t", "t"),
		} {
			if args[0] == "produce" {
				io.WriteString(w, "x\n")
			}
			p := startProcess(t, file, args...)
			p.firstLine()
			p.cmd.Process.Signal(sig)
			if code := p.exit(); code != exitInterrupted {
				t.Errorf("%v of %s: it ended with %d, want %d; stderr:\n%s", sig, args[0], code, exitInterrupted, p.stderr)
			}
		}
		if got := storedOffset(t, c, sig.String(), "t", 0); got < 1 {
			t.Errorf("%v: stored offset %d after a clean stop, want what was shown", sig, got)
		}
	}
}

// TestClosedPipe is what happens to tail | head.
func TestClosedPipe(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	fill(t, c, "t", 0, numbered(10)...)
	p := startProcess(t, nil, at(c, "tail", "-t", "t")...)
	p.firstLine()
	eventually(t, "all is written and stored", func() bool { return storedOffset(t, c, "spout-demo", "t", 0) == 10 })
	p.stdout.Close()
	fill(t, c, "t", 0, spouttest.Values("more")...)
	if code := p.exit(); code != exitError {
		t.Errorf("with its pipe closed, it ended with %d, want %d; stderr:\n%s", code, exitError, p.stderr)
	}
	if strings.Contains(p.stderr.String(), "broken pipe") || strings.Contains(p.stderr.String(), "spout-demo tail:") {
		t.Errorf("it complained:\n%s", p.stderr)
	}
	if got := storedOffset(t, c, "spout-demo", "t", 0); got != 10 {
		t.Errorf("stored offset %d, want 10: what was written, and not the record that wasn't", got)
	}
}
