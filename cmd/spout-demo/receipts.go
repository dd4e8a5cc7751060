package main

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// receipts writes where records went, in the order in which they were read,
// whatever the order in which the brokers answer. Safe for concurrent use.
type receipts struct {
	failed chan struct{} // closed when there is a failure

	mu    sync.Mutex
	out   *bufio.Writer
	lines []receipt // from first on
	first int64     // number of the line that is to be written next
	err   error     // of the lowest line that failed, or of writing
}

type receipt struct {
	record *kgo.Record
	err    error
}

func newReceipts(w io.Writer) *receipts {
	return &receipts{failed: make(chan struct{}), out: bufio.NewWriter(w), first: 1}
}

// expect makes room for one more line.
func (r *receipts) expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, receipt{})
}

// settle notes the outcome of line n, and writes what can be written. Nothing is
// written from the first line on that failed.
func (r *receipts) settle(n int64, rec *kgo.Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines[n-r.first] = receipt{rec, err}
	for len(r.lines) > 0 && r.lines[0] != (receipt{}) {
		l := r.lines[0]
		if l.err != nil && r.err == nil {
			r.fail(fmt.Errorf("line %d: %w", r.first, l.err))
		}
		if r.err == nil {
			fmt.Fprintf(r.out, "%s[%d]@%d\n", l.record.Topic, l.record.Partition, l.record.Offset)
		}
		r.lines[0] = receipt{}
		r.lines = r.lines[1:]
		r.first++
	}
	if err := r.out.Flush(); err != nil && r.err == nil {
		r.fail(fmt.Errorf("standard output: %w", err))
	}
}

// fail notes the first failure. The caller holds mu.
func (r *receipts) fail(err error) {
	r.err = err
	close(r.failed)
}

// failure returns why no more should be produced, or nil.
func (r *receipts) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
