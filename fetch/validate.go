package fetch

import (
	"context"
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// A validation says whether what a log has fetched is still the leader's history
// (KIP-320). Guarded by the log's mu.
type validation struct {
	lineage lineage
	// doubted: the looker is asked to compare epochs, and nothing is fetched until
	// it has.
	doubted bool
	// checked is the last leader epoch that needs no comparison, or for which one
	// was asked for.
	checked int32
}

// Know tells that the record before mark.Offset is of mark.Epoch: so much of the
// history was read before l was opened, and look, from [Client.LooksSince], found
// nothing wrong with it. An epoch of -1 says nothing. To be called before the
// first Take.
func (l *Log) Know(mark Mark, look Look) {
	if mark.Epoch < 0 || mark.Offset <= 0 {
		return
	}
	l.mu.Lock()
	l.valid.lineage.note(mark.Offset-1, mark.Offset, mark.Epoch)
	l.valid.checked = look.epoch
	var todo todo
	l.elected(l.place.epoch, &todo)
	l.mu.Unlock()
	todo.do(l)
}

// elected takes the leader epoch that the metadata tells. Without one there is
// nothing to compare. Under mu.
func (l *Log) elected(epoch int32, t *todo) {
	if epoch >= 0 && epoch != l.valid.checked {
		l.valid.checked = epoch
		l.doubt(t)
	}
}

// doubt makes the looker compare epochs, if there is something to compare. Under
// mu.
func (l *Log) doubt(t *todo) {
	if _, ok := l.valid.lineage.last(); ok {
		l.valid.doubted, t.look = true, true
	}
}

// diverged takes an answer which says that the leader's history isn't ours: it is
// asked about that, and then again, later. Under mu.
func (l *Log) diverged(t *todo) {
	l.delay()
	l.doubt(t)
}

// marks returns what the leader is to be asked about.
func (l *Log) marks() []Mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, ok := l.valid.lineage.last(); ok {
		return []Mark{m}
	}
	return nil
}

// compare returns where the history ends, as ends, asked for by marks, tell: -1
// if it doesn't below what was fetched.
func (l *Log) compare(marks []Mark, ends []epochEnd) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := &l.valid.lineage
	if m, ok := g.last(); !ok || len(ends) != 1 || m != marks[0] {
		return -1
	}
	return ends[0].cutBelow(marks[0], g.firstAbove(ends[0].epoch))
}

// validated takes the outcome of a comparison: look.Cut, found by the leader of
// this epoch. Under mu.
func (l *Log) validated(look Look, t *todo) {
	v := &l.valid
	if look.Cut >= 0 {
		l.client.cfg.Logger.Warn().Stringer("partition", l.partition).Int64("at", look.Cut).Msg("log was cut: by its leader epochs, what was read from there on is gone")
		v.lineage.cut(look.Cut)
		l.reset(-1)
		l.again = retry{at: -1, serial: l.again.serial + 1}
		l.moved, t.wake = look.outOfRange(false), true
	}
	switch {
	case !v.doubted:
	case look.epoch >= 0 && look.epoch < l.place.epoch:
		t.look = true // a leader was elected meanwhile
	default:
		v.doubted = false
		t.fetch, t.retry = true, true
	}
}

// disown forgets the history: the topic is another one. Under mu.
func (l *Log) disown() { l.valid = validation{checked: -1} }

// LooksSince is [Client.Looks] for partitions of which something is known: marks
// are parallel to ps. Each leader is asked where the epochs of its marks end, and
// Cut is the lowest of the ends that lie below their mark.
func (c *Client) LooksSince(ctx context.Context, ps []offsets.Partition, marks [][]Mark) ([]Look, []error) {
	of := make(map[offsets.Partition][]Mark, len(ps))
	for i, p := range ps {
		of[p] = marks[i]
	}
	return askAll(ctx, c, ps, func(ctx context.Context, ps []offsets.Partition) ([]Look, []error) {
		asked := make([][]Mark, len(ps))
		for i, p := range ps {
			asked[i] = of[p]
		}
		looks, ends, errs := c.looks(ctx, ps, asked)
		for i := range looks {
			if errs[i] == nil {
				looks[i].Cut = cuts(asked[i], ends[i])
			}
		}
		return looks, errs
	})
}

// epochEnds asks b once for the ends of the epochs that marks name, parallel to
// the caller's partitions as errs and ends are, in one request for the first mark
// of all of ps, and so on.
func (c *Client) epochEnds(ctx context.Context, b *broker, ps []located, marks [][]Mark, ends [][]epochEnd, errs []error) {
	for k := 0; ; k++ {
		epochs := make(map[int]int32)
		var asked []located
		for _, p := range ps {
			if errs[p.index] == nil && k < len(marks[p.index]) {
				epochs[p.index] = marks[p.index][k].Epoch
				asked = append(asked, p)
			}
		}
		if len(asked) == 0 {
			return
		}
		got, err := roundTrip(ctx, b, offsetForEpochCall(asked, epochs), 0)
		for _, p := range asked {
			a, ok := got[p.partition]
			switch {
			case err != nil:
				errs[p.index] = err
			case !ok:
				errs[p.index] = fmt.Errorf("broker %s: no answer about the partition's leader epochs", b.addr)
			case a.code != 0:
				errs[p.index] = brokerError(int16(a.code))
			default:
				ends[p.index] = append(ends[p.index], a.epochEnd)
			}
		}
	}
}
