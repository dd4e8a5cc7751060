package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A progress tells people how far a demo is: a line that is written over on a
// terminal, else a line now and then. Its goroutine runs from start to stop.
type progress struct {
	w        io.Writer
	terminal bool
	every    time.Duration
	status   func() string

	mu   sync.Mutex
	last string // what stands on the terminal's line
	quit chan struct{}
	wg   sync.WaitGroup
}

func newProgress(w io.Writer, status func() string) *progress {
	p := &progress{w: w, terminal: isTerminal(w), every: time.Second, status: status, quit: make(chan struct{})}
	if p.terminal {
		p.every = 100 * time.Millisecond
	}
	return p
}

func (p *progress) start() {
	p.wg.Go(func() {
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show()
			case <-p.quit:
				return
			}
		}
	})
}

// stop shows the status a last time.
func (p *progress) stop() {
	close(p.quit)
	p.wg.Wait()
	p.show()
	if p.terminal {
		fmt.Fprintln(p.w)
	}
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.status()
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "\r%s\x1b[K", s)
	case s != p.last:
		fmt.Fprintln(p.w, s)
	}
	p.last = s
}

// say writes a line above the status.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s\n%s", text, p.last)
		return
	}
	fmt.Fprintln(p.w, text)
}
