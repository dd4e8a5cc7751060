package spout

import (
	"iter"
	"sync/atomic"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A liveBlocks is the blocks of a partition in which something is open, in the
// order of their emission. What it does costs as much as what has happened, not
// as much as what is live: thousands of blocks are, where acks come in one by one
// at the bound of MaxPending, or where each batch has a stuck record.
//
// All but touched is guarded by partitionManager.mu.
type liveBlocks struct {
	first, last *block
	pins        map[*fetch.Batch]int // blocks of each batch
	bytes       int64                // that those batches hold

	// touched is a stack of the blocks that have acks which the tracker doesn't
	// know of.
	touched atomic.Pointer[block]
}

// add appends a block.
func (l *liveBlocks) add(b *block) {
	if b.prev = l.last; l.last == nil {
		l.first = b
	} else {
		l.last.next = b
	}
	l.last = b
	if l.pins == nil {
		l.pins = map[*fetch.Batch]int{}
	}
	if l.pins[b.batch]++; l.pins[b.batch] == 1 {
		l.bytes += int64(b.batch.Size())
	}
}

// remove takes out a block of which nothing is open. Who walks the list with all
// may go on.
func (l *liveBlocks) remove(b *block) {
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		l.first = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		l.last = b.prev
	}
	b.prev, b.next = nil, nil
	if l.pins[b.batch]--; l.pins[b.batch] == 0 {
		delete(l.pins, b.batch)
		l.bytes -= int64(b.batch.Size())
	}
}

// all walks the blocks. The one at hand may be removed meanwhile, but no other.
func (l *liveBlocks) all() iter.Seq[*block] {
	return func(yield func(*block) bool) {
		for b := l.first; b != nil; {
			next := b.next
			if !yield(b) {
				return
			}
			b = next
		}
	}
}

// touch notes that b has an ack that the tracker doesn't know of. It is called by
// whoever acks, after the ack was counted in the block.
func (l *liveBlocks) touch(b *block) {
	if b.touched.Load() || !b.touched.CompareAndSwap(false, true) {
		return // whoever sweeps b next, or is about to, sees the ack
	}
	for {
		top := l.touched.Load()
		b.below = top
		if l.touched.CompareAndSwap(top, b) {
			return
		}
	}
}

// sweep tells the tracker of acks that it doesn't know of. One whose block another
// goroutine is touching at this moment may be left to the next sweep: that
// goroutine hasn't returned from its ack, and wakes the owner if that waits.
func (l *liveBlocks) sweep(tr *offsets.Tracker) {
	for b := l.touched.Swap(nil); b != nil; {
		below := b.below
		b.below = nil
		b.touched.Store(false) // before its acks are counted
		b.sweep(tr)
		b = below
	}
}

// sweepAll tells the tracker of every ack that has returned.
func (l *liveBlocks) sweepAll(tr *offsets.Tracker) {
	for b := range l.all() {
		b.sweep(tr)
	}
}
