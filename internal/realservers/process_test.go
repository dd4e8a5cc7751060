package realservers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestProcessOutlivesTheStartingThread: the kernel kills a child when the
// thread that forked it ends, and a thread ends with a goroutine that is locked
// to it.
func TestProcessOutlivesTheStartingThread(t *testing.T) {
	const count = 4 // at most one of the threads is the main one, which never ends
	started := make(chan *process, count)
	for range count {
		go func() {
			runtime.LockOSThread() // and never unlock
			p, err := startProcess(exec.Command("sleep", "60"))
			if err != nil {
				t.Error(err)
			}
			started <- p
		}()
	}
	for range count {
		p := <-started
		if p == nil {
			continue
		}
		defer p.kill()
		select {
		case <-p.done:
			t.Errorf("the child died with the thread of its caller: %v", p.err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func TestStartProcessFails(t *testing.T) {
	if _, err := startProcess(exec.Command("/nowhere/at/all")); err == nil {
		t.Error("no such program: no error")
	}
}

func TestRunProcess(t *testing.T) {
	out, diag, err := runProcess(t.Context(), exec.Command("sh", "-c", "echo out; echo diag >&2"))
	if string(out) != "out\n" || string(diag) != "diag\n" || err != nil {
		t.Errorf("got %q, %q, %v", out, diag, err)
	}
	_, _, err = runProcess(t.Context(), exec.Command("sh", "-c", "echo what is wrong >&2; seq 1000 >&2; exit 7"))
	if err == nil {
		t.Fatal("exit status 7: no error")
	}
	for _, want := range []string{"exit status 7", "\twhat is wrong\n", "\t4\n\t...\n\t961\n", "\t1000\n"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	begin := time.Now()
	if _, _, err = runProcess(ctx, exec.Command("sleep", "60")); !errors.Is(err, why) {
		t.Errorf("cancelled: %v, want %v", err, why)
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("cancelled after 50 ms, returned after %s", d)
	}
}

func TestExcerpt(t *testing.T) {
	var text strings.Builder
	for i := range 45 {
		fmt.Fprintf(&text, "%d\n", i)
	}
	if got := excerpt([]byte(text.String())); strings.Count(got, "\n") != 45 || strings.Contains(got, "...") {
		t.Errorf("45 lines are cut: %q", got)
	}
	text.WriteString("45\n")
	if got := excerpt([]byte(text.String())); !strings.HasPrefix(got, "\t0\n\t1\n\t2\n\t3\n\t4\n\t...\n\t6\n") || !strings.HasSuffix(got, "\t45\n") {
		t.Errorf("46 lines: %q", got)
	}
	if got, want := excerpt([]byte("one")), "\tone\n"; got != want {
		t.Errorf("excerpt = %q, want %q", got, want)
	}
}
