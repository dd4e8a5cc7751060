package main

import (
	"slices"
	"sync"

	"github.com/kspout/kspout/spout"
)

// A proof is what demo ends with.
type proof struct {
	Records             int64              `json:"records"`    // produced
	Deliveries          int64              `json:"deliveries"` // of them, repeated ones counted each time
	RedeliveredAfterAck int64              `json:"redelivered_after_ack"`
	Lost                int64              `json:"lost"`   // never acked
	Stored              map[string][]int64 `json:"stored"` // next offset by partition
}

// A ledger follows every record of one topic, over restarts. It is fed by the
// user's side alone: what it says about the spout isn't the spout's own word.
// Safe for concurrent use.
type ledger struct {
	mu         sync.Mutex
	acked      [][]bool // by partition and offset
	records    int64
	deliveries int64
	failed     int64
	done       int64 // records that were acked
	again      int64 // deliveries of those
	beyond     int64 // deliveries of records that nobody produced
}

func newLedger(ends []int64) *ledger {
	l := &ledger{}
	for _, n := range ends {
		l.acked = append(l.acked, make([]bool, n))
		l.records += n
	}
	return l
}

// delivered counts a delivery.
func (l *ledger) delivered(t *spout.Tuple) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deliveries++
	switch p, o := int(t.Partition()), t.Offset(); {
	case p >= len(l.acked) || o >= int64(len(l.acked[p])):
		l.beyond++
	case l.acked[p][o]:
		l.again++
	}
}

// settled counts an ack or, with an error, a fail.
func (l *ledger) settled(t *spout.Tuple, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed++
		return
	}
	if p, o := int(t.Partition()), t.Offset(); p < len(l.acked) && o < int64(len(l.acked[p])) && !l.acked[p][o] {
		l.acked[p][o] = true
		l.done++
	}
}

// A tally is what a ledger says at one moment.
type tally struct{ records, deliveries, failed, done, again, beyond int64 }

func (l *ledger) tally() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	return tally{l.records, l.deliveries, l.failed, l.done, l.again, l.beyond}
}

// prove says what happened, and whether it's what was promised: nothing lost, and
// stored offsets at the ends.
func (l *ledger) prove(topic string, ends, stored []int64) (proof, bool) {
	t := l.tally()
	p := proof{
		Records: t.records, Deliveries: t.deliveries, RedeliveredAfterAck: t.again,
		Lost: t.records - t.done, Stored: map[string][]int64{topic: stored},
	}
	return p, p.Lost == 0 && t.beyond == 0 && slices.Equal(ends, stored)
}
