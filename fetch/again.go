package fetch

import (
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

// A retry is the fetch of a record that is to be delivered again: one at a time
// per log. Guarded by the log's mu.
type retry struct {
	at     int64 // -1: none was ever asked for
	serial uint64

	wanted   bool // it is to be fetched, at due
	inflight bool
	looking  bool // the looker is asked
	oor      bool // because the fetch was out of range
	// alone: among others the broker's answer was empty, which proves nothing.
	alone    bool
	due      time.Time
	misses   int // answers in a row that held no record at at
	failures int // fetches in a row that were refused
	minBytes int32

	// The answer, once it's there: one of them.
	ready bool
	raw   *rawBatch
	look  *Look
	fail  *PartitionError
}

// Again is Take for a record that is to be delivered again. It is asked for in a
// request of its own, which waits for no other partition, and asking for another
// offset before the answer replaces it. After an answer without the record the
// next one for the same offset is delayed.
func (l *Log) Again(at int64) (Answer, bool) {
	l.mu.Lock()
	if l.moved != nil {
		return l.takeMoved(), true
	}
	if l.fail != nil && errors.Is(l.fail, ErrUnknownPartition) {
		defer l.mu.Unlock()
		return l.marked(Answer{Err: l.fail}), true
	}
	r := &l.again
	if r.at != at {
		*r = retry{at: at, serial: r.serial + 1, wanted: true}
	}
	if r.ready {
		return l.takeAgain()
	}
	if !r.wanted && !r.inflight && !r.looking {
		r.wanted = true
		if r.misses > 0 {
			r.due = time.Now().Add(backoff(r.misses - 1))
		}
	}
	home := l.place.home
	l.mu.Unlock()
	if home != nil {
		kick(home.retryKick)
	}
	return Answer{}, false
}

// takeAgain hands out the answer to a retry. Unlocks mu.
func (l *Log) takeAgain() (Answer, bool) {
	defer l.mu.Unlock()
	r := &l.again
	a := l.marked(Answer{Look: r.look})
	switch {
	case r.fail != nil:
		a.Err = r.fail
	case r.raw != nil:
		c, err := l.client.decoder.decode(*r.raw, r.at, l.partition)
		if err != nil {
			a.Err = err
			break
		}
		a.Records = c
	}
	r.ready, r.raw, r.look, r.fail = false, nil, nil, nil
	r.misses++
	if a.Records != nil {
		if offset, ok := a.Records.Peek(); ok && offset == r.at {
			r.misses = 0
		}
	}
	return a, true
}

// retryBytes is what a retry asks for, in bytes: a few usual batches. The broker
// sends at least one, however large.
const retryBytes = 64 << 10

// wantAgain returns what to ask broker b for as a retry. A part that must go
// alone is only returned first, and then alone is true.
func (l *Log) wantAgain(now time.Time, b *broker, first bool) (part fetchPart, alone bool, state wantState, due time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.again
	switch {
	case l.closed || l.place.home != b || l.moved != nil || !r.wanted || r.inflight:
		return fetchPart{}, false, unwanted, now
	case r.due.After(now):
		return fetchPart{}, false, later, r.due
	case l.valid.doubted:
		return fetchPart{}, false, full, now
	case r.alone && !first:
		return fetchPart{}, false, full, now
	}
	r.serial++
	r.inflight = true
	part = l.part(r.at, r.serial)
	part.maxBytes = max(retryBytes, r.minBytes)
	return part, r.alone, wanted, now
}

// deliverAgain takes the answer to a retry, nil if there was none. It was asked
// for alone, or not.
func (l *Log) deliverAgain(part fetchPart, a *fetchAnswer, alone bool) {
	l.mu.Lock()
	r := &l.again
	if part.serial != r.serial {
		l.mu.Unlock()
		return
	}
	r.inflight = false
	if a == nil {
		l.mu.Unlock()
		return
	}
	var todo todo
	switch code := a.code; {
	case code == 0:
		l.hear(a, &todo)
		l.foundAgain(a, alone, &todo)
	case code == kafka.OffsetOutOfRange:
		r.wanted, r.looking, r.oor, todo.look = false, true, true, true
	case fatal(code):
		r.give(&todo).fail = l.broken(r.at, brokerError(int16(code)))
	default:
		r.delay()
		todo.refresh = true
	}
	l.mu.Unlock()
	todo.do(l)
}

// foundAgain looks for the batch that reaches to the retry's offset. Under mu.
func (l *Log) foundAgain(a *fetchAnswer, alone bool, t *todo) {
	r, s := &l.again, &a.segment
	r.failures = 0
	for _, raw := range s.batches {
		if raw.last >= r.at {
			r.give(t).raw = &raw
			return
		}
	}
	switch {
	case s.cut > maxResponse:
		r.give(t).fail = l.broken(r.at, fmt.Errorf("%w: it has %d bytes", ErrTooLarge, s.cut))
	case s.cut > int(r.minBytes) && s.cut > retryBytes:
		r.minBytes = int32(s.cut)
	case !alone:
		r.alone = true
	case a.throttled: // asked for again, once the broker lets us
	default:
		r.wanted, r.looking, r.oor, t.look = false, true, false, true
	}
}

// give makes the answer ready, for the caller to fill in.
func (r *retry) give(t *todo) *retry {
	r.wanted, r.ready, t.wake = false, true, true
	return r
}

func (r *retry) delay() {
	r.due = time.Now().Add(backoff(r.failures))
	r.failures++
}

// looked takes the look that the retry waits for, if it does.
func (r *retry) looked(look Look, t *todo) {
	if !r.looking {
		return
	}
	r.looking = false
	if r.oor && look.holds(r.at) {
		r.wanted, t.retry = true, true
		r.delay()
		return
	}
	r.give(t).look = look.outOfRange(r.oor)
}
