package spout

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A block is what one fill took from one batch: a slab of tuples in the order of
// their offsets. It is live, in its manager's list, as long as one of them is
// queued or in flight, or acked without the tracker's knowledge.
//
// An ack of a plain tuple touches nothing but its state and its bit; the tracker
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

	// touched: it is, or is about to be, on the stack of liveBlocks, above below.
	touched atomic.Bool
	below   *block // written by who touches, read by who sweeps

	// acks has a bit for each plain tuple whose ack the tracker doesn't know of. It
	// is set after the state was changed: an ack that has returned is always there.
	acks []atomic.Uint64
	few  [1]atomic.Uint64 // acks of a small block

	// Guarded by partitionManager.mu:
	prev, next *block // in liveBlocks
	open       int    // tuples that are queued, in flight, or acked and not swept

	// times says when each tuple left the queue, where deliveries time out;
	// expired is the first that may still.
	times   []time.Time
	expired int
}

func newBlock(m *partitionManager, batch *fetch.Batch, base int64, size int) *block {
	b := &block{m: m, batch: batch, base: base, gen: m.gen, tuples: make([]Tuple, 0, size)}
	if b.acks = b.few[:]; size > 64 {
		b.acks = make([]atomic.Uint64, (size+63)/64)
	}
	return b
}

// add appends a queued tuple.
func (b *block) add(offset int64, pos int32) *Tuple {
	i := len(b.tuples)
	b.tuples = b.tuples[:i+1] // within capacity: a Tuple holds an atomic and isn't copied
	t := &b.tuples[i]
	t.blk, t.pos, t.index, t.delta = b, pos, int32(i), int32(offset-b.base)
	return t
}

// note notes the ack of tuple i, whose state says so.
func (b *block) note(i int32) { b.acks[i/64].Or(1 << (i % 64)) }

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
	b.close(1)
	return true
}

// close takes n tuples out of the open ones, and the block out of the live ones
// with the last of them.
func (b *block) close(n int) {
	if b.open -= n; b.open == 0 && n > 0 {
		b.m.live.remove(b)
	}
}

// cancel makes t stale if it is queued or in flight, or acked and not swept.
func (b *block) cancel(t *Tuple) {
	switch t.state.Load() {
	case done, failed, stale:
		return
	}
	t.state.Store(stale) // an ack of it that is noted, or about to be, counts no more
	b.close(1)
}

// sweep tells the tracker of the acks that it doesn't know of.
func (b *block) sweep(tr *offsets.Tracker) {
	run := offsets.Range{}
	n := 0
	for w := range b.acks {
		if b.acks[w].Load() == 0 {
			continue
		}
		for noted := b.acks[w].Swap(0); noted != 0; noted &= noted - 1 {
			t := &b.tuples[w*64+bits.TrailingZeros64(noted)]
			if !t.state.CompareAndSwap(acked, done) {
				continue // cancelled
			}
			n++
			if o := t.Offset(); o == run.To {
				run.To++
			} else {
				tr.AckRange(run.From, run.To)
				run = offsets.Range{From: o, To: o + 1}
			}
		}
	}
	tr.AckRange(run.From, run.To)
	b.close(n)
}
