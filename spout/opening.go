package spout

import (
	"context"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// An openRequest is all that is known of a partition that is to be opened.
type openRequest struct {
	id     offsets.Partition
	topic  offsets.TopicID
	look   fetch.Look
	stored offsets.Stored
}

// open makes a partition and lets it run. What can't be opened stays stopped if
// trying again won't help.
func (d *discovery) open(q openRequest) {
	start, err := d.startOffset(q)
	if err != nil {
		d.cfg.Logger.Warn().Err(err).Stringer("partition", q.id).Msg("the start offset can't be looked up; trying again")
		return
	}
	p := d.newPartition(q.id, q.topic)
	p.m, err = openManager(p.ctx, d.managerOptions(q.id, start), p.log, d.store, q.look, q.stored, p.poke)
	if err != nil {
		p.log.Close()
		p.stop(errStopped)
		d.refused(q, err)
		return
	}
	there := d.there[q.id]
	if d.cfg.StopAtEnd && there {
		p.end = end{wanted: true, offset: q.look.Latest}
	}
	p.log.Know(p.m.mark(), q.look)
	d.roster.add(p)
	if d.cfg.StopAtEnd && !there {
		d.roster.ended(p) // it wasn't there when the ends were taken
	}
	d.start(p)
}

// refused takes the error of a partition that couldn't be opened.
func (d *discovery) refused(q openRequest, err error) {
	if d.emitting.Err() != nil {
		return
	}
	if !isFinal(err) {
		d.cfg.Logger.Warn().Err(err).Msg("the partition can't be opened yet; trying again")
		return
	}
	err = &PartitionError{Partition: q.id, Err: err}
	d.roster.remove(q.id, err)
	d.events.stopped(q.id, err)
}

// startOffset resolves the start policy for one partition.
func (d *discovery) startOffset(q openRequest) (int64, error) {
	s := d.cfg.Start
	if !d.there[q.id] {
		return q.look.Start, nil // nothing of it was there before
	}
	switch s.kind {
	case startLatest:
		return q.look.Latest, nil
	case startAt:
		return s.n, nil
	case startLast:
		return q.look.Latest - s.n, nil
	case startSince:
		if q.stored.Version != offsets.NoVersion && !d.cfg.IgnoreStored && d.cfg.MaxOffsetBehind == 0 {
			return q.look.Start, nil // of no account
		}
		ctx, cancel := context.WithTimeout(d.emitting, startTimeout)
		defer cancel()
		return d.client.OffsetAt(ctx, q.id, s.t)
	}
	return q.look.Start, nil
}

// fetchSize is how many records one fill takes at most: few enough that retries
// and acks are looked at often, many enough that a fill costs little a record.
const fetchSize = 1000

// managerOptions is what the Config says about one partition.
func (s *Spout) managerOptions(id offsets.Partition, start int64) managerOptions {
	c := &s.cfg
	o := managerOptions{
		partition: id, id: c.ID, instance: c.Instance,
		startOffset: start, ignoreStored: c.IgnoreStored,
		onOutOfRange: c.OnOutOfRange, onUndecodable: c.OnUndecodable,
		policy:     offsets.Policy{Retry: c.Retry, MaxAttempts: c.MaxAttempts, MaxBehind: -1},
		timeout:    c.Timeout,
		fetchSize:  fetchSize,
		maxPending: max(0, c.MaxPending),
		maxBytes:   c.MaxPartitionBytes,
		scheme:     c.Scheme,
		events:     s.events,
		crash:      c.CrashOnPanic,
	}
	if c.MaxOffsetBehind > 0 {
		o.policy.MaxBehind = c.MaxOffsetBehind
	}
	return o
}
