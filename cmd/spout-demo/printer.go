package main

import (
	"context"
	"io"
	"sync"
)

// maxBuffered is how many bytes a printer holds back while it writes others.
const maxBuffered = 1 << 20

// A printer writes lines, and has each settled once it was written. While it
// writes, the next lines gather: so lines go out one by one when few come, and
// many at once when they come fast. run is its only writer.
type printer struct {
	w      io.Writer
	failed func() // called once, when writing has failed
	wake   chan struct{}
	quit   chan struct{} // closed by close
	done   chan struct{} // closed when run has returned

	mu    sync.Mutex
	next  page
	taken chan struct{} // closed when next is taken
	err   error         // of writing
}

// A page is what is written at once.
type page struct {
	bytes  []byte
	settle []func(error) // one for each line, in order
}

func newPrinter(w io.Writer, failed func()) *printer {
	return &printer{
		w: w, failed: failed, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
		taken: make(chan struct{}),
	}
}

// print takes a line. It waits while too many are held back, and returns an error
// if ctx ends first or writing has failed; else settle will be called with the
// outcome of the write, by the printer's goroutine.
func (p *printer) print(ctx context.Context, form appender, l *line, settle func(error)) error {
	for {
		p.mu.Lock()
		if p.err != nil {
			p.mu.Unlock()
			return p.err
		}
		if len(p.next.bytes) < maxBuffered {
			p.next.bytes = form(p.next.bytes, l)
			p.next.settle = append(p.next.settle, settle)
			p.mu.Unlock()
			select {
			case p.wake <- struct{}{}:
			default:
			}
			return nil
		}
		taken := p.taken
		p.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// run writes until close, and then what is left.
func (p *printer) run() {
	defer close(p.done)
	var spare page
	for quitting := false; !quitting; {
		select {
		case <-p.wake:
		case <-p.quit:
			quitting = true
		}
		spare = p.flush(spare)
	}
}

// flush writes what has gathered and settles it. It returns the page that it wrote,
// for reuse; spare is one from before.
func (p *printer) flush(spare page) page {
	p.mu.Lock()
	pg, err := p.next, p.err
	p.next = page{bytes: spare.bytes[:0], settle: spare.settle[:0]}
	close(p.taken)
	p.taken = make(chan struct{})
	p.mu.Unlock()
	if err == nil && len(pg.bytes) > 0 {
		if _, err = p.w.Write(pg.bytes); err != nil {
			p.mu.Lock()
			p.err = err
			p.mu.Unlock()
			p.failed()
		}
	}
	for _, settle := range pg.settle {
		settle(err)
	}
	clear(pg.settle)
	if cap(pg.bytes) > 4*maxBuffered {
		pg.bytes = nil
	}
	return pg
}

// close ends run. Nothing may be printed after it.
func (p *printer) close() { close(p.quit) }

// failure returns why writing failed, or nil.
func (p *printer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
