package spout

import (
	"context"
	"errors"
	"fmt"
)

// A Handler is what a [Spout] hands tuples to.
//
// Handle is called for one tuple after the other of a partition, by several
// goroutines at once for several partitions. It may return before the tuple is
// acked or failed, by whichever goroutine; while it hasn't returned, its
// partition emits nothing more. ctx ends when [Spout.Run] was told to stop and
// [Config].DrainTimeout is over: what is out by then may still be finished, but
// is no longer waited for. Run itself can't return before Handle does: wait for
// nothing in it without looking at ctx. A panic fails the tuple.
type Handler interface {
	Handle(ctx context.Context, t *Tuple)
}

// A HandlerFunc makes a function a [Handler].
type HandlerFunc func(ctx context.Context, t *Tuple)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, t *Tuple) { f(ctx, t) }

// A background is a handler with goroutines of its own: they run inside
// [Spout.Run].
type background interface {
	Handler

	// run works until ctx ends, and returns when all goroutines have ended.
	run(ctx context.Context)
}

// checkHandler finds what can't be called.
func checkHandler(h Handler) error {
	switch h := h.(type) {
	case nil:
		return errors.New("spout: the handler is nil")
	case HandlerFunc:
		if h == nil {
			return errors.New("spout: the handler is a nil HandlerFunc")
		}
	case *workers:
		if h.f == nil {
			return errors.New("spout: the function of Workers is nil")
		}
		if h.order != Unordered {
			return fmt.Errorf("spout: the order of Workers is %d: want Unordered", h.order)
		}
	}
	return nil
}
