package zkserver

import (
	"sync"
	"time"
)

// A parcel is what a connection's writer does next: wait, then write, then
// perhaps close the connection.
type parcel struct {
	frame []byte        // may be empty
	delay time.Duration // before writing; what comes after waits too
	last  bool          // close the connection afterwards
}

// An outbox is the queue of a connection's writer. Nobody waits to put
// something in: a connection's reader takes no more requests while it is full,
// so it holds at most one answer above its limits, and the events of the
// connection's watches, each of which was armed by a request.
type outbox struct {
	mu      sync.Mutex
	parcels []parcel
	size    int // bytes in parcels

	ready   chan struct{} // a token while there are parcels
	drained chan struct{} // a token after parcels were taken
}

// What makes an outbox full: so many parcels, or so many bytes in them.
const (
	outboxLimit = 1024
	outboxBytes = 16 << 20
)

func newOutbox() *outbox {
	return &outbox{ready: make(chan struct{}, 1), drained: make(chan struct{}, 1)}
}

// put appends p. What comes after a last parcel is never taken.
func (o *outbox) put(p parcel) {
	o.mu.Lock()
	o.parcels = append(o.parcels, p)
	o.size += len(p.frame)
	o.mu.Unlock()
	signal(o.ready)
}

// take empties the outbox.
func (o *outbox) take() []parcel {
	o.mu.Lock()
	p := o.parcels
	o.parcels, o.size = nil, 0
	o.mu.Unlock()
	signal(o.drained)
	return p
}

// full reports whether the reader should wait for drained.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.parcels) >= outboxLimit || o.size >= outboxBytes
}

// signal leaves a token in c, which holds one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
