package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kspout/kspout/spouttest"
)

func TestTailWithBrokenOutput(t *testing.T) {
	for _, args := range [][]string{nil, {"--workers", "2"}} {
		c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
		fill(t, c, "t", 0, numbered(3)...)
		var stderr lockedBuffer
		start := time.Now()
		code := run(context.Background(), append(at(c, "tail", "-t", "t"), args...), nil, brokenWriter{}, &stderr)
		if code != exitError || !strings.Contains(stderr.String(), "standard output") {
			t.Errorf("%v: it ended with %d and said %q, want %d", args, code, stderr.String(), exitError)
		}
		if d := time.Since(start); d > 4*time.Second {
			t.Errorf("%v: it took %v to end", args, d)
		}
		if got := storedOffset(t, c, "spout-demo", "t", 0); got > 0 {
			t.Errorf("%v: stored offset %d, though nothing was written", args, got)
		}
	}
}

// TestTailWithStuckOutput interrupts tail while a write hangs.
func TestTailWithStuckOutput(t *testing.T) {
	for _, args := range [][]string{nil, {"--workers", "2"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
			fill(t, c, "t", 0, numbered(3)...)
			w := &slowWriter{let: make(chan error), entered: make(chan struct{})}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			code := make(chan int, 1)
			var stderr lockedBuffer
			go func() { code <- run(ctx, append(at(c, "tail", "-t", "t"), args...), nil, w, &stderr) }()
			<-w.entered
			cancel()
			select {
			case got := <-code:
				if got != exitError {
					t.Errorf("it ended with %d, want %d; stderr:\n%s", got, exitError, stderr.String())
				}
			case <-time.After(patience):
				t.Fatal("it doesn't end")
			}
			if got := storedOffset(t, c, "spout-demo", "t", 0); got > 0 {
				t.Errorf("stored offset %d, though no write returned", got)
			}
			w.let <- nil // the printer's goroutine ends
			for range 2 {
				select { // it may have more to write
				case <-w.entered:
					w.let <- nil
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
}
