package spout

import (
	"sync/atomic"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A block is what one fill took from one batch: a slab of tuples in the order of
// their offsets. It is live, in its manager's list, as long as one of them is
// queued or in flight, or acked without the tracker's knowledge.
//
// An ack of a plain tuple touches nothing but the tuple and acks; the tracker
// learns of it when the manager sweeps. An uncontended mutex per ack would cost
// as much, but four acking goroutines on one mutex several times that.
type block struct {
	m     *partitionManager
	batch *fetch.Batch
	base  int64 // Tuple.delta counts from here
	gen   int   // partitionManager.gen when it was taken

	// plain: first deliveries, whose acks concern nothing but themselves.
	plain bool

	// tuples is complete before the block is published, and never grows.
	tuples []Tuple

	// acks counts the acks of plain tuples. It is incremented after the state
	// was changed: an ack that has returned is always counted.
	acks atomic.Int32

	// Guarded by partitionManager.mu:
	swept int32 // the acks that the tracker knows of
	open  int   // tuples that are queued, in flight, or acked and not swept
	low   int   // all tuples before this index are settled

	// times says when each tuple left the queue, where deliveries time out;
	// expired is the first that may still.
	times   []time.Time
	expired int
}

func newBlock(m *partitionManager, batch *fetch.Batch, base int64, size int) *block {
	return &block{m: m, batch: batch, base: base, gen: m.gen, tuples: make([]Tuple, 0, size)}
}

// add appends a queued tuple.
func (b *block) add(offset int64, pos int32) *Tuple {
	b.tuples = b.tuples[:len(b.tuples)+1] // within capacity: Tuple holds an atomic and isn't copied
	t := &b.tuples[len(b.tuples)-1]
	t.blk, t.pos, t.delta = b, pos, int32(offset-b.base)
	return t
}

// left notes when tuple i left the queue, where deliveries time out. The caller
// holds partitionManager.mu.
func (b *block) left(i int, timeout time.Duration, now time.Time) {
	if timeout == 0 {
		return
	}
	for len(b.times) < i { // those that yielded nothing have no time, nor a timeout
		b.times = append(b.times, now)
	}
	b.times = append(b.times, now)
}

// settle takes t, in state from, out of the open ones. It is false if t isn't in
// that state.
func (b *block) settle(t *Tuple, from, to uint32) bool {
	if !t.state.CompareAndSwap(from, to) {
		return false
	}
	b.open--
	return true
}

// cancel makes t stale if it is queued or in flight, or acked and not swept.
func (b *block) cancel(t *Tuple) {
	switch t.state.Load() {
	case done, failed, stale:
		return
	}
	if t.state.Swap(stale) == acked {
		b.swept++
	}
	b.open--
}

// sweep tells the tracker of the acks that it doesn't know of.
func (b *block) sweep(tr *offsets.Tracker) {
	n := b.acks.Load()
	if n == b.swept {
		return
	}
	if b.plain && int(n) == len(b.tuples) && b.swept == 0 {
		// All of it, and nothing else lies between: the usual case.
		first, last := &b.tuples[0], &b.tuples[len(b.tuples)-1]
		tr.AckRange(first.Offset(), last.Offset()+1)
		b.swept, b.open, b.low = n, 0, len(b.tuples)
		return // the states stay acked: nobody looks at a block that isn't live
	}
	low := true
	for i := b.low; i < len(b.tuples); i++ {
		t := &b.tuples[i]
		switch s := t.state.Load(); {
		case s == acked:
			run := i + 1
			for run < len(b.tuples) && b.tuples[run].state.Load() == acked && b.tuples[run].delta == b.tuples[run-1].delta+1 {
				run++
			}
			tr.AckRange(t.Offset(), b.tuples[run-1].Offset()+1)
			for ; i < run; i++ {
				b.tuples[i].state.Store(done)
				b.swept++
				b.open--
			}
			i--
		case s < acked:
			low = false
		}
		if low {
			b.low = i + 1
		}
	}
}
