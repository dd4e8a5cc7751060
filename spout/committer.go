package spout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kspout/kspout/offsets"
)

// commitLoop commits all partitions, interval after interval, until ctx ends.
func (r *running) commitLoop(ctx context.Context) {
	tick := time.NewTicker(r.cfg.CommitInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.commit()
		case <-ctx.Done():
			return
		}
	}
}

// commit stores what is done by now, of all partitions at once. One whose write
// is still under way is left to the next round.
func (r *running) commit() {
	var ps []*partition
	var ws []offsets.Write
	for _, p := range r.roster.partitions() {
		if p.ctx.Err() != nil && r.emitting.Err() == nil {
			continue // it stops by itself, and commits if it can
		}
		if w, ok := p.m.beginCommit(); ok {
			ps, ws = append(ps, p), append(ws, w)
		}
	}
	r.save(ps, ws)
}

// flush is the last commit: it waits for writes that are under way, and returns
// what isn't stored.
func (r *running) flush(parts []*partition) error {
	var ps []*partition
	var ws []offsets.Write
	var errs []error
	for _, p := range parts {
		w, ok, err := p.m.awaitCommit(r.storing)
		if err != nil {
			errs = append(errs, err)
		}
		if ok {
			ps, ws = append(ps, p), append(ws, w)
		}
	}
	return errors.Join(append(errs, r.save(ps, ws)...)...)
}

// save writes ws, one for each of ps, and tells each the outcome. A partition
// that was fenced stops.
func (r *running) save(ps []*partition, ws []offsets.Write) (failed []error) {
	if len(ws) == 0 {
		return nil
	}
	start := time.Now()
	errs := saveAll(r.storing, r.store, ws)
	for i, p := range ps {
		p.m.endCommit(ws[i], errs[i])
		if errs[i] == nil {
			continue
		}
		err := &CommitError{Partition: p.id, Err: errs[i]}
		failed = append(failed, err)
		if errors.Is(err, ErrFenced) {
			p.stop(err)
		} else {
			r.cfg.Logger.Warn().Err(errs[i]).Stringer("partition", p.id).Msg("commit failed; trying again with the next one")
		}
	}
	r.events.committed(Committing{Partitions: len(ws), Failed: len(failed), Took: time.Since(start)})
	return failed
}

// saveAll calls Save of a store, which may be the user's: too few results are an
// error of each write.
func saveAll(ctx context.Context, st Store, ws []offsets.Write) []error {
	errs := st.Save(ctx, ws)
	if len(errs) == len(ws) {
		return errs
	}
	err := fmt.Errorf("the store's Save returned %d results for %d writes", len(errs), len(ws))
	return slices.Repeat([]error{err}, len(ws))
}
