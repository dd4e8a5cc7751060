package fetch

import (
	"errors"
	"sync"
	"time"

	"github.com/kspout/kspout/offsets"
)

// A Log is one partition as its only consumer sees it. Take and Again are called
// by one goroutine at a time, the partition's owner; Leader and Close may be
// called from any.
//
// The consumer decides the position: what was fetched for another one is thrown
// away. The client fetches ahead of it, as far as the bounds allow.
type Log struct {
	client    *Client
	partition offsets.Partition
	wake      func()

	mu     sync.Mutex
	closed bool
	id     offsets.TopicID
	former []offsets.TopicID // ids that were the topic's before it was created anew
	place  placement

	// What is fetched ahead: buf holds the log from start to next, and the next
	// fetch asks for next. Both are -1 before the first Take.
	// Invariant: start <= next; with buf empty, start == next.
	start, next int64
	buf         []rawBatch
	buffered    int64 // bytes in buf
	// gen counts the times that start and next were set anew.
	gen uint64

	// serial is that of the last fetch that asked for this partition; answers to
	// others are stale.
	serial   uint64
	inflight bool
	minBytes int32     // at least so many bytes must be asked for
	failures int       // fetches in a row that were refused
	due      time.Time // of the next fetch

	// beyond: next is out of range, but the consumer isn't there yet.
	beyond  bool
	looking bool            // the looker is asked about next
	look    *Look           // what it found, to be taken at next
	moved   *Look           // the topic is another one, or the log was cut; to be taken first of all
	fail    *PartitionError // at next

	again retry
	valid validation

	// What fetches told of the log's ends, -1 before one did.
	logStart, high int64
	news           bool // logStart rose since the last Take

	// The consumer's own: the cursor that it walks, of generation curGen.
	cur    *Cursor
	curGen uint64
}

func newLog(c *Client, p offsets.Partition, id offsets.TopicID, wake func()) *Log {
	return &Log{
		client: c, partition: p, id: id, wake: wake,
		start: -1, next: -1,
		place:    placement{epoch: -1},
		again:    retry{at: -1},
		valid:    validation{checked: -1},
		logStart: -1, high: -1,
	}
}

// Take returns what there is for new records at from, or false if that isn't
// known yet: then wake will be called. It never waits for the network, and may be
// asked for any offset; asking for the ones behind those it gave is what's fast.
// A cursor that the consumer left in the middle comes again, where it stopped.
func (l *Log) Take(from int64) (Answer, bool) {
	l.mu.Lock()
	if l.moved != nil {
		return l.takeMoved(), true
	}
	if c := l.cur; c != nil && l.curGen == l.gen && from >= c.from && from < c.end {
		c.skipTo(from)
		defer l.mu.Unlock()
		return l.marked(Answer{Records: c}), true
	}
	l.cur = nil
	if from < l.start || from > l.next {
		l.reset(from)
	}
	if raw, ok := l.pop(from); ok {
		gen := l.gen
		l.mu.Unlock()
		c, err := l.client.decoder.decode(raw, from, l.partition)
		l.mu.Lock()
		if gen != l.gen {
			l.mu.Unlock()
			return Answer{}, false // wake was called, or the log is closed
		}
		if err == nil {
			l.cur, l.curGen = c, gen
			l.start = c.end
			l.next = max(l.next, c.end)
			a := l.marked(Answer{Records: c})
			l.unlockAndKick()
			return a, true
		}
		l.drop(from)
		l.fail, _ = errors.AsType[*PartitionError](err)
	}
	if l.fail != nil {
		defer l.mu.Unlock()
		return l.marked(Answer{Err: l.fail}), true
	}
	if look := l.look; look != nil {
		l.look = nil
		l.delay() // in case that the consumer asks for the same again
		defer l.mu.Unlock()
		return l.marked(Answer{Look: look}), true
	}
	if l.news {
		a := l.marked(Answer{})
		l.unlockAndKick()
		return a, true
	}
	l.beyond = false
	l.unlockAndKick()
	return Answer{}, false
}

// takeMoved hands out the look at a topic that was created anew, or at a log that
// was cut. Unlocks mu.
func (l *Log) takeMoved() Answer {
	defer l.mu.Unlock()
	look := l.moved
	l.moved = nil
	return l.marked(Answer{Look: look})
}

// marked returns a with the marks that fetches told. Under mu.
func (l *Log) marked(a Answer) Answer {
	l.news = false
	a.Start, a.End = l.logStart, l.high
	return a
}

// hear takes the marks that came with an answer. Under mu.
func (l *Log) hear(a *fetchAnswer, t *todo) {
	l.high = a.high
	if a.start > l.logStart {
		l.logStart, l.news, t.wake = a.start, true, true
	}
}

// pop takes the first batch that reaches to from or beyond off buf. Under mu.
func (l *Log) pop(from int64) (rawBatch, bool) {
	for len(l.buf) > 0 {
		raw := l.buf[0]
		l.buf[0] = rawBatch{}
		l.buf = l.buf[1:]
		l.buffered -= int64(len(raw.bytes))
		if raw.last >= from {
			return raw, true
		}
	}
	l.buf = nil
	l.start, l.next = max(l.start, from), max(l.next, from)
	return rawBatch{}, false
}

// reset throws away all that was fetched, and goes on at from (-1: where the next
// Take says). Under mu.
func (l *Log) reset(from int64) {
	l.drop(from)
	l.gen++
	l.beyond, l.looking, l.look, l.fail = false, false, nil, nil
	l.minBytes, l.failures, l.due = 0, 0, time.Time{}
}

// drop empties the buffer and disowns the fetch under way. Under mu.
func (l *Log) drop(at int64) {
	l.buf, l.buffered = nil, 0
	l.start, l.next = at, at
	l.inflight = false
	l.serial++
}

// delay puts the next fetch off. Under mu.
func (l *Log) delay() {
	l.due = time.Now().Add(backoff(l.failures))
	l.failures++
}

// unlockAndKick wakes the broker's goroutine if l has something to be fetched.
func (l *Log) unlockAndKick() {
	home := l.place.home
	ready := home != nil && !l.inflight && l.fail == nil && !l.looking && !l.valid.doubted
	l.mu.Unlock()
	if ready {
		kick(home.fetchKick)
	}
}

// Close ends the fetching and gives back what was fetched ahead. Cursors and
// batches that were handed out stay as they are.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.reset(-1)
	l.again = retry{at: -1}
	home := l.place.home
	l.place.home = nil
	l.mu.Unlock()
	if home != nil {
		home.remove(l)
	}
	l.client.forget(l)
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}
