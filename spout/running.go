package spout

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/kspout/kspout/fetch"
)

// A running is what a Run is made of while it runs.
type running struct {
	*Spout
	*lifetime
	client *fetch.Client
	store  Store

	complete atomic.Bool // every partition that is wanted was opened once

	partitions sync.WaitGroup // goroutines of partitions
}

// run starts the parts, waits for a reason to end, and ends them in order:
// emitting, then what is with the user, then the last commit, then the rest.
func (r *running) run() error {
	ticking, stopTicking := context.WithCancel(r.storing)
	defer stopTicking()
	var ticks, discovery sync.WaitGroup
	ticks.Go(func() { r.commitLoop(ticking) })
	discovered := make(chan error, 1)
	discovery.Go(func() { discovered <- r.discover() })

	err := r.wait(discovered)
	r.stop(errStopped)
	discovery.Wait() // nothing is opened after this
	r.drained()
	r.handled()
	stopTicking()
	ticks.Wait()
	_ = r.flush(r.roster.partitions()) // before handlers that don't return
	r.partitions.Wait()
	// Again, for what they acked meanwhile; it tells all that isn't stored.
	err = errors.Join(err, r.flush(r.roster.partitions()), r.Healthy())
	r.last.Store(new(r.Partitions()))
	for _, p := range r.roster.partitions() {
		r.close(p, nil)
	}
	return err
}

// wait returns when Run is to end.
func (r *running) wait(discovered <-chan error) error {
	for {
		select {
		case err := <-discovered:
			return err
		case <-r.emitting.Done():
			return nil
		case <-r.roster.changed:
			if open, stopped := r.roster.counts(); open == 0 && stopped > 0 && r.complete.Load() {
				return nil // its error is in the roster
			}
			if r.cfg.StopAtEnd && r.complete.Load() && r.roster.allAtEnd() {
				return nil
			}
		}
	}
}

// drained waits until the partitions' goroutines have nothing out, or the time
// for that is over.
func (r *running) drained() {
	done := make(chan struct{})
	go func() {
		r.partitions.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-r.handling.Done():
	}
}

// start runs a partition until it stops. It is removed from the roster then,
// unless Run as a whole is stopping, which commits for all.
func (r *running) start(p *partition) {
	r.partitions.Go(func() {
		err := errGoexit
		defer func() {
			if v := recover(); v != nil {
				panic(v) // CrashOnPanic
			}
			if r.emitting.Err() == nil || err != nil {
				r.retire(p, err)
			}
		}()
		err = p.loop()
	})
}

// errGoexit is why a partition stops whose goroutine was ended by user code.
var errGoexit = errors.New("spout: user code called runtime.Goexit, as the FailNow of a test does")

// retire closes a partition that stops while others go on.
func (r *running) retire(p *partition, err error) {
	gone := errors.Is(err, fetch.ErrUnknownPartition)
	if !errors.Is(err, ErrFenced) {
		ctx, cancel := context.WithTimeout(r.storing, r.cfg.DrainTimeout)
		defer cancel()
		err = errors.Join(err, p.m.save(ctx))
	}
	if gone {
		p.m.deleted()
		r.cfg.Logger.Warn().Err(err).Stringer("partition", p.id).Msg("the partition is gone")
		err = nil
	}
	if err != nil {
		err = &PartitionError{Partition: p.id, Err: err}
	}
	r.close(p, err)
}

// close releases a partition and tells so.
func (r *running) close(p *partition, err error) {
	p.m.release()
	p.log.Close()
	p.stop(errStopped)
	r.roster.remove(p.id, err)
	if err != nil {
		r.events.stopped(p.id, err)
	} else {
		r.events.closed(p.id)
	}
}
