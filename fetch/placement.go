package fetch

import (
	"errors"
	"slices"
	"time"

	"github.com/kspout/kspout/offsets"
)

// A placement is where a log is read from. Guarded by the log's mu; changed by
// the refresher alone, and by Close.
type placement struct {
	home   *broker // nil: there is no leader
	leader offsets.Broker
	epoch  int32 // -1: not known

	// Metadata answers in a row that didn't know the partition, and the time of
	// the first.
	missing      int
	missingSince time.Time
}

// A partition is given up as deleted when so many metadata answers in a row
// haven't had it, over so long a time: brokers learn of a new topic, and of a
// recreated one, at different times.
const (
	missingLooks = 3
	missingTime  = 3 * time.Second
)

// Leader returns the leader of the partition and its epoch, as far as they're
// known: the zero Broker and -1 if not. Safe from any goroutine.
func (l *Log) Leader() (offsets.Broker, int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place.leader, l.place.epoch
}

// settle takes what the metadata tells of l, and reports whether that settles
// where l is to be read.
func (l *Log) settle(layout *layout, now time.Time) bool {
	t, info, err := layout.partition(l.partition)
	if err == nil && !l.checkID(t.ID) {
		return false
	}
	var home *broker
	if err == nil && info.LeaderID >= 0 {
		if home, err = l.client.broker(hostPort(info.Leader)); err != nil {
			return true // Run is ending
		}
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return true
	}
	p := &l.place
	before := p.home
	var todo todo
	settled := false
	switch {
	case errors.Is(err, ErrUnknownPartition):
		if p.missing == 0 {
			p.missingSince = now
		}
		p.missing++
		p.home = nil
		if settled = p.missing >= missingLooks && now.Sub(p.missingSince) >= missingTime; settled && l.fail == nil {
			l.fail = l.broken(l.next, ErrUnknownPartition)
			l.again.failAll(l.fail)
			todo.wake = true
		}
	case err != nil:
		if settled = isFatal(err); settled && l.fail == nil {
			l.fail = l.broken(l.next, err)
			todo.wake = true
		}
	case home == nil:
		p.missing, p.home = 0, nil
	case info.LeaderEpoch >= 0 && info.LeaderEpoch < p.epoch:
		p.missing = 0 // the broker that answered is behind
	default:
		settled = true
		p.missing = 0
		if p.home != home || p.epoch != info.LeaderEpoch {
			p.home, p.leader, p.epoch = home, info.Leader, info.LeaderEpoch
			l.inflight = false
			l.serial++
			l.failures, l.due = 0, time.Time{}
			l.again.inflight = false
			l.again.serial++
			l.again.failures, l.again.due = 0, time.Time{}
			l.elected(info.LeaderEpoch, &todo)
			todo.fetch = true
		}
	}
	after := p.home
	l.mu.Unlock()
	l.rehome(before, after)
	todo.do(l)
	return settled
}

// rehome makes l be read from after instead of before.
func (l *Log) rehome(before, after *broker) {
	if before == after {
		return
	}
	if before != nil {
		before.remove(l)
	}
	if after == nil {
		l.client.cfg.Logger.Info().Stringer("partition", l.partition).Msg("partition has no leader")
		return
	}
	l.client.cfg.Logger.Debug().Stringer("partition", l.partition).Str("leader", after.addr).Msg("reading from leader")
	if after.add(l); l.isClosed() {
		after.remove(l)
	}
}

// checkID takes the topic id that the metadata tells. Another one than ours means
// that the topic was created anew: a look tells its start and end. False: the id
// is one that was ours before, so the broker that told it is behind.
func (l *Log) checkID(id offsets.TopicID) bool {
	l.mu.Lock()
	if slices.Contains(l.former, id) {
		l.mu.Unlock()
		return false
	}
	other := false
	switch {
	case id.IsZero():
	case l.id.IsZero():
		l.id = id
	case id != l.id && l.moved == nil:
		other = true
		// Epochs begin anew, and nothing of the old topic is there to be fetched.
		l.place.epoch = -1
		l.disown()
		l.drop(l.start)
		l.looking = true
	}
	l.mu.Unlock()
	if other {
		l.client.looker.ask(l)
	}
	return true
}

// failAll makes a retry that waits for an answer fail.
func (r *retry) failAll(err *PartitionError) {
	if r.wanted || r.inflight || r.looking {
		r.serial++
		r.wanted, r.inflight, r.looking, r.ready, r.fail = false, false, false, true, err
	}
}
