package spout

import (
	"context"
	"time"
)

// A lifetime is the phases of a Run, as contexts that end one after the other:
// emitting ends when Run is told to stop, handling when the user's time to finish
// is over, storing a moment later.
type lifetime struct {
	emitting context.Context
	handling context.Context
	storing  context.Context

	stop func(cause error) // ends emitting
	ends []func()
}

// lastCommit is what is left for the last commit, and for nothing else, after
// [Config].DrainTimeout.
const lastCommit = 500 * time.Millisecond

func newLifetime(ctx context.Context, drain time.Duration) *lifetime {
	l := &lifetime{}
	emitting, stop := context.WithCancelCause(ctx)
	l.emitting, l.stop = emitting, stop
	l.handling = l.after(drain)
	l.storing = l.after(drain + lastCommit)
	return l
}

// after returns a context that ends d after emitting does.
func (l *lifetime) after(d time.Duration) context.Context {
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.emitting))
	var timer *time.Timer
	armed := make(chan struct{})
	unwatch := context.AfterFunc(l.emitting, func() {
		timer = time.AfterFunc(d, cancel)
		close(armed)
	})
	l.ends = append(l.ends, func() {
		if !unwatch() {
			<-armed
			timer.Stop()
		}
		cancel()
	})
	return ctx
}

// handled ends handling: there is nothing more to wait for.
func (l *lifetime) handled() { l.ends[0]() }

// end ends all of it.
func (l *lifetime) end() {
	for _, end := range l.ends {
		end()
	}
	l.stop(context.Canceled)
}
