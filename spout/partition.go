package spout

import (
	"context"
	"errors"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A partition is one partition while it is open: the goroutine that owns its
// manager, and calls the user.
type partition struct {
	r    *running
	id   offsets.Partition
	log  *fetch.Log
	m    *partitionManager
	wake chan struct{} // holds a token if there may be something to do

	// ctx ends when nothing more is to be emitted; its cause tells an error that
	// was found elsewhere, such as a fenced commit.
	ctx  context.Context
	stop context.CancelCauseFunc

	end end // with StopAtEnd
}

func (r *running) newPartition(id offsets.Partition, topic offsets.TopicID) *partition {
	p := &partition{r: r, id: id, wake: make(chan struct{}, 1)}
	p.ctx, p.stop = context.WithCancelCause(r.emitting)
	p.log = r.client.Open(id, topic, p.poke)
	return p
}

// poke wakes the owner. It never blocks.
func (p *partition) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// loop emits until there is a reason to stop, and returns it: nil if it was told
// to. Then it waits for what is out.
func (p *partition) loop() error {
	err := p.emit()
	if p.ctx.Err() != nil {
		err = nil
		if cause := context.Cause(p.ctx); p.r.emitting.Err() == nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
	}
	p.m.abandonQueue()
	if !errors.Is(err, ErrFenced) { // else there is nothing to wait for: no ack can be stored
		p.drain()
	}
	return err
}

func (p *partition) emit() error {
	for p.ctx.Err() == nil {
		ts, err := p.m.next(p.ctx)
		switch {
		case err != nil:
			if err = p.recover(err); err != nil {
				return err
			}
		case len(ts) == 0:
			p.idle()
		}
		for i := 0; i < len(ts) && p.r.handling.Err() == nil; i++ {
			p.handle(&ts[i])
		}
	}
	return nil
}

// handle calls the user. A panic fails the tuple.
func (p *partition) handle(t *Tuple) {
	err := p.m.contain(func() error {
		p.r.handler.Handle(p.r.handling, t)
		return nil
	})
	if err != nil {
		t.Fail(err)
	}
}

// storeRetry is the time between two tries of a write that has to succeed before
// anything is emitted.
const storeRetry = time.Second

// recover waits and returns nil if next may be called again after err.
func (p *partition) recover(err error) error {
	if _, ok := errors.AsType[*CommitError](err); !ok || errors.Is(err, ErrFenced) {
		return err
	}
	p.r.cfg.Logger.Warn().Err(err).Stringer("partition", p.id).Msg("the position isn't stored; trying again")
	select {
	case <-time.After(storeRetry):
	case <-p.ctx.Done():
	}
	return nil
}

// openRetry is when a due record is asked for again of which an answer told
// nothing.
const openRetry = 100 * time.Millisecond

// idle waits until there may be something to do.
func (p *partition) idle() {
	if p.end.wanted && p.m.reached(&p.end) {
		p.r.roster.ended(p)
	}
	var due <-chan time.Time
	if at, ok := p.m.retryDue(); ok {
		d := time.Until(at)
		if at.IsZero() {
			d = openRetry // the answer to it proved nothing
		}
		if !p.m.asking || d > 0 && !at.IsZero() {
			t := time.NewTimer(d)
			defer t.Stop()
			due = t.C
		}
		// Else the record is being fetched, which wakes us.
	}
	select {
	case <-p.wake:
	case <-due:
	case <-p.ctx.Done():
	}
}

// drain waits until nothing is with the user, or the time for that is over: that
// of Run, and DrainTimeout where only this partition stops.
func (p *partition) drain() {
	over := time.NewTimer(p.r.cfg.DrainTimeout)
	defer over.Stop()
	p.m.starved.Store(true) // acks are to wake us
	for n := p.m.outstanding(); n > 0; n = p.m.outstanding() {
		select {
		case <-p.wake:
			continue
		case <-over.C:
		case <-p.r.handling.Done():
		}
		p.r.cfg.Logger.Warn().Stringer("partition", p.id).Int("records", n).Msg("the time to finish is over; what is out comes again")
		return
	}
}
