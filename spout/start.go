package spout

import (
	"fmt"
	"time"
)

// A Start says where a partition starts for which nothing is stored. The zero
// Start is [Earliest]. A partition that appears while the spout runs starts at
// its log start, whatever the policy: nothing of it was there before.
type Start struct {
	kind startKind
	n    int64
	t    time.Time
}

type startKind int8

const (
	startEarliest startKind = iota
	startLatest
	startAt
	startLast
	startSince
)

var (
	// Earliest starts at the log start.
	Earliest = Start{}

	// Latest starts at the log end: with [ReadCommitted], behind the last record
	// whose transaction has ended. It is resolved once, and stored.
	Latest = Start{kind: startLatest}
)

// At starts at an offset, moved into the log.
func At(offset int64) Start { return Start{kind: startAt, n: offset} }

// Last starts n offsets before where [Latest] does, or at the log start.
func Last(n int64) Start { return Start{kind: startLast, n: n} }

// Since starts at the first record whose timestamp isn't before t, or where
// [Latest] does if there is none.
func Since(t time.Time) Start { return Start{kind: startSince, t: t} }

// String returns the policy as a reader of logs wants it.
func (s Start) String() string {
	switch s.kind {
	case startLatest:
		return "latest"
	case startAt:
		return fmt.Sprintf("offset %d", s.n)
	case startLast:
		return fmt.Sprintf("last %d", s.n)
	case startSince:
		return "since " + s.t.Format(time.RFC3339Nano)
	}
	return "earliest"
}
