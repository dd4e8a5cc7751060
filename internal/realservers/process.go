package realservers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A process is a running child of this one. It dies with this process where
// the operating system offers that (Linux), however this process ends.
type process struct {
	proc *os.Process
	done chan struct{} // closed when the child has been waited for
	err  error         // of exec.Cmd.Wait; to be read after done
}

// startProcess starts cmd. A goroutine waits for the child and ends with it;
// it stays locked to its thread for that long, since Linux takes the death of
// the thread that forked for the death of the parent.
func startProcess(cmd *exec.Cmd) (*process, error) {
	dieWithParent(cmd)
	p := &process{done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.proc = cmd.Process
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the child by SIGKILL and waits until it is gone.
func (p *process) kill() {
	_ = p.proc.Kill() // fails only if the child is gone
	<-p.done
}

// runProcess runs cmd to its end and returns what it wrote. When ctx ends
// first, the child is killed and the error is ctx's cause. The error of a child
// that fails has the first and last lines of its standard error.
func runProcess(ctx context.Context, cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	cmd.WaitDelay = 2 * time.Second // for a grandchild that keeps them open
	p, err := startProcess(cmd)
	if err != nil {
		return nil, nil, err
	}
	select {
	case <-p.done:
		err = p.err
	case <-ctx.Done():
		p.kill()
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, excerpt(diag.Bytes()))
	}
	return out.Bytes(), diag.Bytes(), err
}

// lastLines returns the last n lines of text, each indented by a tab.
func lastLines(text []byte, n int) string {
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	var s strings.Builder
	for _, line := range lines[max(0, len(lines)-n):] {
		fmt.Fprintf(&s, "\t%s\n", line)
	}
	return s.String()
}

// excerpt returns text as lastLines does, and its first lines too if it is
// long: some tools say what is wrong and then how to use them.
func excerpt(text []byte) string {
	const head = 5
	lines := bytes.SplitAfterN(bytes.TrimRight(text, "\n"), []byte("\n"), head+1)
	if len(lines) <= head || bytes.Count(lines[head], []byte("\n")) < logLines {
		return lastLines(text, head+logLines)
	}
	return lastLines(bytes.Join(lines[:head], nil), head) + "\t...\n" + lastLines(lines[head], logLines)
}
