package spout

import (
	"maps"
	"slices"
	"time"
)

// A model is the obvious partition: one manager over one log and one store, with
// a map entry for each pending offset, everything else recomputed by walking. It is
// written from the rules of SCENARIOS.md alone, whose names its comments give, and
// speaks the language of the scenario files.
type model struct {
	log        modelLog
	stored     *modelStored // nil: nothing
	garbage    bool         // the stored bytes can't be read
	storeFails int          // of the next writes
	fetchFails int          // of the next fetches of fills
	now        time.Duration
	part       *modelPartition          // nil: no manager
	before     map[int64]*modelDelivery // latest tuples of the manager before this one
}

// A modelStored is what a commit writes.
type modelStored struct {
	offset int64
	acked  string // ranges, as printed
	id     string
	topic  int
}

// A modelPartition is one manager between its open and its end. An offset below
// position that isn't in pending is done.
type modelPartition struct {
	world    *model
	opts     modelOptions
	topic    int
	start    int64 // S: the highest one told for topic
	position int64
	pending  map[int64]modelState
	restored map[int64]bool // acks from the store, at or above position
	queue    []modelTaken
	attempts map[int64]int // deliveries begun, by offset
	due      map[int64]time.Duration
	out      map[int64]*modelDelivery   // in flight
	given    map[int64][]*modelDelivery // all since the last R3 or R4 that concerned them
	before   map[int64]*modelDelivery   // the latest ones before the last R3 or R4

	highest       int64 // emitted, -1 before the first one
	acks, fails   int   // accepted: E4's guard
	dropped, lost int64
	ended         int         // offsets that became done: N2's progress
	written       modelStored // last written or read
	barrier       bool        // R3 or R4 found a position that isn't stored yet
}

type modelState int

const (
	modelQueued modelState = iota + 1
	modelInFlight
	modelFailed
)

// A modelTaken is a record in the waiting queue, and what it yields (N4).
type modelTaken struct {
	offset int64
	yields int // tuples, or modelBad
}

const modelBad = -1

// A modelDelivery is one emission of a record.
type modelDelivery struct {
	offset int64
	number int // from 1
	acked  []bool
	since  time.Duration
	stale  bool // of an ended manager, or from before R3 or R4
}

// committed is C: the lowest offset that isn't done, or position.
func (p *modelPartition) committed() int64 {
	c := p.position
	for o := range p.pending {
		c = min(c, o)
	}
	return c
}

// doneAbove returns the acked ranges, offset by offset.
func (p *modelPartition) doneAbove() []int64 {
	var done []int64
	for o := p.committed(); o < p.position; o++ {
		if p.pending[o] == 0 {
			done = append(done, o)
		}
	}
	return append(done, slices.Sorted(maps.Keys(p.restored))...)
}

// in returns the offsets in state s, ascending.
func (p *modelPartition) in(s modelState) []int64 {
	var out []int64
	for o, st := range p.pending {
		if st == s {
			out = append(out, o)
		}
	}
	slices.Sort(out)
	return out
}

// finish makes a pending offset done.
func (p *modelPartition) finish(o int64) {
	p.forget(o)
	p.ended++
}

// forget takes a pending offset out of tracking.
func (p *modelPartition) forget(o int64) {
	delete(p.pending, o)
	delete(p.due, o)
	delete(p.out, o)
	p.queue = slices.DeleteFunc(p.queue, func(t modelTaken) bool { return t.offset == o })
}

// pass moves position past restored acks (O3, F2).
func (p *modelPartition) pass() {
	for p.restored[p.position] {
		delete(p.restored, p.position)
		p.position++
	}
}

// unrestore forgets the restored acks in [lo, hi) and returns how many there were.
func (p *modelPartition) unrestore(lo, hi int64) int64 {
	var n int64
	for o := range p.restored {
		if o >= lo && o < hi {
			delete(p.restored, o)
			n++
		}
	}
	return n
}

// checkpoint is what a commit would write.
func (p *modelPartition) checkpoint() modelStored {
	return modelStored{p.committed(), modelRanges(p.doneAbove()), p.opts.id, p.topic}
}

// write stores what differs from what was last written (C1, C2).
func (p *modelPartition) write() (changed bool, err error) {
	c := p.checkpoint()
	if c == p.written {
		return false, nil
	}
	if p.world.storeFails > 0 {
		p.world.storeFails--
		return true, errModelStore
	}
	p.world.stored, p.written = &c, c
	return true, nil
}

// latest returns the newest delivery of each offset.
func (p *modelPartition) latest() map[int64]*modelDelivery {
	out := map[int64]*modelDelivery{}
	for o, ds := range p.given {
		if len(ds) > 0 {
			out[o] = ds[len(ds)-1]
		}
	}
	return out
}

// end makes every tuple stale: the manager is gone.
func (m *model) end() {
	for _, ds := range m.part.given {
		for _, d := range ds {
			d.stale = true
		}
	}
	m.before, m.part = m.part.latest(), nil
}

func newModel() *model { return &model{before: map[int64]*modelDelivery{}} }
