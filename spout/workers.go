package spout

import (
	"context"
	"sync"
)

// An Order says in which order [Workers] work.
type Order int8

// Unordered: any worker takes the next tuple, of whichever partition.
const Unordered Order = 0

// Workers returns a handler that calls f by n goroutines, which live inside
// [Spout.Run]. It acks a tuple when f returns nil, and fails it with f's error,
// or with a [PanicError]. When all workers are busy, partitions wait: no tuple is
// queued that no worker takes.
//
// The handler belongs to one Spout at a time. n below 1 counts as 1.
func Workers(n int, order Order, f func(context.Context, *Tuple) error) Handler {
	return &workers{n: max(1, n), order: order, f: f, work: make(chan *Tuple)}
}

type workers struct {
	n     int
	order Order
	f     func(context.Context, *Tuple) error
	work  chan *Tuple
}

func (w *workers) Handle(ctx context.Context, t *Tuple) {
	select {
	case w.work <- t:
	case <-ctx.Done():
		// Not handed out; whoever reads the partition next gets it again.
	}
}

func (w *workers) run(ctx context.Context) {
	var wg sync.WaitGroup
	for range w.n {
		wg.Go(func() {
			for {
				select {
				case t := <-w.work:
					w.do(ctx, t)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wg.Wait()
}

func (w *workers) do(ctx context.Context, t *Tuple) {
	if err := t.blk.m.contain(func() error { return w.f(ctx, t) }); err != nil {
		t.Fail(err)
		return
	}
	t.Ack()
}
