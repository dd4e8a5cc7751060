package realservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

const (
	// startTimeout bounds the time from the start of a server's process to its
	// first good answer.
	startTimeout = 60 * time.Second

	// stopTimeout bounds a clean stop. A broker that can't reach its
	// controllers would else try for minutes.
	stopTimeout = 30 * time.Second

	// askInterval is the time between two questions to a server that isn't
	// ready.
	askInterval = 50 * time.Millisecond

	// logLines is how many of a log's last lines go into an error.
	logLines = 40
)

// A Node is one server of a [Kafka] cluster or a [ZooKeeper] ensemble. Its
// address and its data stay the same over any number of stops and starts.
//
// All methods may be called concurrently; what happens first when two of them
// change the node's state at once is open.
type Node struct {
	name string // "kafka-0"
	addr string // host:port that clients connect to
	dir  string // holds its configuration, data and log

	// command returns the command that runs the server.
	command func() *exec.Cmd

	// ready asks the server once whether it serves.
	ready func(ctx context.Context) error

	// mu guards the fields below. It is held over no wait.
	mu     sync.Mutex
	proc   *process // nil before the first start
	paused bool
}

// Name returns the node's name, as kafka-0, which is its directory's and
// stands in all its errors.
func (n *Node) Name() string { return n.name }

// Addr returns the host:port that clients connect to.
func (n *Node) Addr() string { return n.addr }

// Pid returns the process id of the node's last start, or 0 before the first.
func (n *Node) Pid() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc == nil {
		return 0
	}
	return n.proc.proc.Pid
}

// Running reports whether the node's process is alive, paused or not.
func (n *Node) Running() bool {
	p := n.current()
	return p != nil && !p.exited()
}

// answers reports whether the node can be asked: it runs and isn't paused.
func (n *Node) answers() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc != nil && !n.proc.exited() && !n.paused
}

// LogPath returns the file that the server writes its log to, all starts after
// one another.
func (n *Node) LogPath() string { return filepath.Join(n.dir, "server.log") }

// LogTail returns the last lines of the node's log, each indented by a tab.
func (n *Node) LogTail(lines int) string {
	text, err := os.ReadFile(n.LogPath())
	if err != nil {
		return "\t" + err.Error() + "\n"
	}
	return lastLines(text, lines)
}

// Start starts the node on the data it has, waits until it serves, and returns
// nil; also if it is running. A paused node is resumed. A node that Start has
// started and that doesn't serve by the end of ctx or after 60 s is killed. The
// error has the last lines of the node's log.
//
// One node of three alone never serves; bring a majority back with StartAll.
func (n *Node) Start(ctx context.Context) error {
	fresh, err := n.launch()
	if err != nil {
		return err
	}
	err = n.Await(ctx)
	if err != nil && fresh {
		err = errors.Join(err, n.Kill())
	}
	return err
}

// Launch starts the node's process as [Node.Start] does and doesn't wait until
// it serves.
func (n *Node) Launch() error {
	_, err := n.launch()
	return err
}

// launch reports whether it started a process.
func (n *Node) launch() (fresh bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc != nil && !n.proc.exited() {
		return false, n.setPausedLocked(false)
	}
	log, err := os.OpenFile(n.LogPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return false, fmt.Errorf("realservers: %s: %w", n.name, err)
	}
	defer log.Close() // the child has its own
	cmd := n.command()
	cmd.Dir, cmd.Stdout, cmd.Stderr = n.dir, log, log
	fmt.Fprintf(log, "--- start at %s\n", time.Now().Format(time.RFC3339Nano))
	p, err := startProcess(cmd)
	if err != nil {
		return false, fmt.Errorf("realservers: %s: %w", n.name, err)
	}
	n.proc, n.paused = p, false
	return true, nil
}

// Await waits until a node that was started serves. It returns an error with
// the last lines of the node's log when the process ends, when ctx does, and
// after 60 s.
func (n *Node) Await(ctx context.Context) error {
	p := n.current()
	if p == nil {
		return fmt.Errorf("realservers: %s: was never started", n.name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("doesn't serve after %s", startTimeout))
	defer cancel()
	tick := time.NewTicker(askInterval)
	defer tick.Stop()
	for {
		err := n.ready(ctx)
		if err == nil && !p.exited() {
			return nil
		}
		select {
		case <-p.done:
			return n.withLog(fmt.Errorf("the process ended: %s", exitText(p.err)))
		case <-ctx.Done():
			return n.withLog(fmt.Errorf("%w (%w)", context.Cause(ctx), err))
		case <-tick.C:
		}
	}
}

func exitText(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// withLog adds the last lines of the node's log to err.
func (n *Node) withLog(err error) error {
	return fmt.Errorf("realservers: %s: %w\n%s", n.name, err, n.LogTail(logLines))
}

// Kill ends the node by SIGKILL, paused or not, and returns when the process
// is gone. A node that isn't running stays so.
func (n *Node) Kill() error {
	if p := n.current(); p != nil {
		p.kill()
	}
	return nil
}

// Stop ends the node cleanly, by SIGTERM, and returns when the process is gone.
// A paused node is resumed for that; one that isn't running stays so. A node
// that is still there when ctx ends or after 30 s is killed, and the error
// says so.
func (n *Node) Stop(ctx context.Context) error {
	p := n.current()
	if p == nil || p.exited() {
		return nil
	}
	if err := n.Resume(); err != nil && !p.exited() {
		return err
	}
	if err := terminateProcess(p.proc); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("realservers: %s: stop: %w", n.name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout, fmt.Errorf("still running after %s", stopTimeout))
	defer cancel()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.kill()
		return n.withLog(fmt.Errorf("stop: killed: %w", context.Cause(ctx)))
	}
}

// Pause stops the node's process where it is, by SIGSTOP: its connections stay
// open and answer nothing. The error is [errors.ErrUnsupported] where the
// operating system has no such signal.
func (n *Node) Pause() error { return n.setPaused(true) }

// Resume lets a paused node go on.
func (n *Node) Resume() error { return n.setPaused(false) }

func (n *Node) setPaused(paused bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.setPausedLocked(paused)
}

// setPausedLocked is setPaused with n.mu held.
func (n *Node) setPausedLocked(paused bool) error {
	if n.proc == nil || n.proc.exited() {
		return fmt.Errorf("realservers: %s: not running", n.name)
	}
	if n.paused == paused {
		return nil
	}
	send := resumeProcess
	if paused {
		send = pauseProcess
	}
	if err := send(n.proc.proc); err != nil {
		return fmt.Errorf("realservers: %s: %w", n.name, err)
	}
	n.paused = paused
	return nil
}

func (n *Node) current() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc
}
