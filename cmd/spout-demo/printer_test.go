package main

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// A slowWriter writes when it is let.
type slowWriter struct {
	let     chan error
	entered chan struct{}
	b       bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	w.entered <- struct{}{}
	if err := <-w.let; err != nil {
		return 0, err
	}
	return w.b.Write(p)
}

func value(dst []byte, l *line) []byte { return append(dst, l.value...) }

func TestPrinterSettlesAfterTheWrite(t *testing.T) {
	w := &slowWriter{let: make(chan error), entered: make(chan struct{})}
	p := newPrinter(w, func() { t.Error("writing failed") })
	go p.run()
	var settled atomic.Int32
	show := func(v string) {
		t.Helper()
		if err := p.print(t.Context(), value, &line{value: []byte(v)}, func(err error) {
			if err != nil {
				t.Errorf("%q settled with %v", v, err)
			}
			settled.Add(1)
		}); err != nil {
			t.Fatal(err)
		}
	}
	show("a")
	<-w.entered
	show("b") // gathers
	show("c")
	if n := settled.Load(); n != 0 {
		t.Errorf("%d lines settled before they were written", n)
	}
	w.let <- nil
	<-w.entered
	if n := settled.Load(); n != 1 {
		t.Errorf("%d lines settled after the first write, want 1", n)
	}
	w.let <- nil
	p.close()
	<-p.done
	if got := w.b.String(); got != "abc" || settled.Load() != 3 {
		t.Errorf("wrote %q and settled %d, want abc and 3", got, settled.Load())
	}
}

func TestPrinterIsBounded(t *testing.T) {
	w := &slowWriter{let: make(chan error), entered: make(chan struct{})}
	p := newPrinter(w, func() {})
	go p.run()
	nop := func(error) {}
	big := &line{value: make([]byte, maxBuffered)}
	p.print(t.Context(), value, big, nop)
	<-w.entered
	p.print(t.Context(), value, big, nop)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.print(ctx, value, big, nop); !errors.Is(err, context.Canceled) {
		t.Errorf("with a page full, print = %v, want it to wait for ctx", err)
	}
	w.let <- nil
	<-w.entered
	if err := p.print(t.Context(), value, big, nop); err != nil {
		t.Errorf("with room again, print = %v", err)
	}
	w.let <- nil
	<-w.entered
	w.let <- nil
	p.close()
	<-p.done
	if w.b.Len() != 3*maxBuffered {
		t.Errorf("wrote %d bytes, want %d", w.b.Len(), 3*maxBuffered)
	}
}

func TestPrinterFails(t *testing.T) {
	w := &slowWriter{let: make(chan error), entered: make(chan struct{})}
	broken := errors.New("broken")
	failed := make(chan struct{})
	p := newPrinter(w, func() { close(failed) })
	go p.run()
	outcomes := make(chan error, 2)
	for range 2 {
		p.print(t.Context(), value, &line{value: []byte("x")}, func(err error) { outcomes <- err })
	}
	<-w.entered
	w.let <- broken
	<-failed
	for range 2 {
		if err := <-outcomes; !errors.Is(err, broken) {
			t.Errorf("settled with %v, want the write's error", err)
		}
	}
	if err := p.print(t.Context(), value, &line{}, nil); !errors.Is(err, broken) {
		t.Errorf("print after the failure = %v, want it", err)
	}
	p.close()
	<-p.done
}

func TestQuota(t *testing.T) {
	done := 0
	q := quota{want: 2, done: func() { done++ }}
	at := func(offset int64, attempt int) *line { return &line{topic: "t", offset: offset, attempt: attempt} }
	ack := func(offset int64) { q.acked(recordID{topic: "t", offset: offset}) }
	step := func(offset int64, attempt int, want bool) {
		t.Helper()
		if got := q.admit(at(offset, attempt)); got != want {
			t.Errorf("admit(offset %d, attempt %d) = %t, want %t", offset, attempt, got, want)
		}
	}
	step(0, 1, true)
	step(1, 1, true)
	step(2, 1, false)
	step(2, 2, false) // the retry of one that wasn't wanted
	step(0, 2, true)  // of one that was
	ack(1)
	if done != 0 {
		t.Errorf("done with a record open")
	}
	step(1, 2, false) // a late repetition
	ack(0)
	if done != 1 {
		t.Errorf("done called %d times, want once", done)
	}
	var all quota
	if !all.admit(at(9, 1)) {
		t.Errorf("a quota of 0 refuses")
	}
	all.acked(recordID{})
}
