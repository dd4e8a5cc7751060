package zkserver

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// A Match says which requests a fault strikes. The zero value is any request
// but pings.
type Match struct {
	Op      Op     // 0: any but OpPing. The operations inside a multi don't count
	Path    string // empty: any; one ending in "*" is a prefix. Of a multi, one of its operations' suffices
	Session int64  // 0: any
	Skip    int    // let this many matching requests pass first
	Times   int    // then strike this many; 0: one; negative: no end
}

func (m Match) covers(session int64, req request) bool {
	switch {
	case m.Session != 0 && m.Session != session:
		return false
	case m.Op == 0 && req.op == OpPing, m.Op != 0 && m.Op != req.op:
		return false
	case m.Path == "":
		return true
	}
	return slices.ContainsFunc(req.paths, func(path string) bool {
		if prefix, ok := strings.CutSuffix(m.Path, "*"); ok {
			return strings.HasPrefix(path, prefix)
		}
		return path == m.Path
	})
}

// A faultKind is what happens to a request that a fault strikes.
type faultKind int

const (
	cutBefore faultKind = iota
	loseReply
	delayReply
	reject
	hold
)

// A Fault is one that has been ordered. A request is struck by one at the most:
// of several that match it, the one that was ordered first. Faults outlast
// [Server.Restart]. All methods are safe for concurrent use.
type Fault struct {
	kind  faultKind
	match Match
	delay time.Duration // of delayReply
	code  tree.Code     // of reject
	spent chan struct{} // closed when it will not strike again
	freed chan struct{} // of hold: closed by Remove

	mu            sync.Mutex
	seen, strikes int
	over, removed bool
}

// is reports whether f, which may be nil, is of this kind.
func (f *Fault) is(kind faultKind) bool { return f != nil && f.kind == kind }

// Strikes returns how many requests the fault has struck.
func (f *Fault) Strikes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.strikes
}

// Spent returns a channel that is closed once the fault has struck for the
// last time, or has been removed. [Server.Get], for one, called after that sees
// what the last request has done, if it was to be executed and isn't held.
func (f *Fault) Spent() <-chan struct{} { return f.spent }

// Remove takes the fault back, and lets go what it holds. Removing it again
// does nothing.
func (f *Fault) Remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finish()
	if !f.removed {
		f.removed = true
		close(f.freed)
	}
}

func (f *Fault) finish() {
	if !f.over {
		f.over = true
		close(f.spent)
	}
}

// strike counts a request that matches, and reports whether the fault strikes
// it.
func (f *Fault) strike() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	if f.over || f.seen <= f.match.Skip {
		return false
	}
	f.strikes++
	if f.match.Times >= 0 && f.strikes >= max(f.match.Times, 1) {
		f.finish()
	}
	return true
}

func (f *Fault) isOver() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// faults are those ordered, oldest first.
type faults struct {
	all []*Fault
}

// match returns the fault that strikes req, or nil.
func (fs *faults) match(session int64, req request) *Fault {
	fs.all = slices.DeleteFunc(fs.all, (*Fault).isOver)
	for _, f := range fs.all {
		if f.match.covers(session, req) && f.strike() {
			return f
		}
	}
	return nil
}

func (s *Server) order(f *Fault) *Fault {
	f.spent, f.freed = make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.all = append(s.faults.all, f)
	return f
}

// CutBeforeApply cuts the connection of a matching request instead of
// executing it.
func (s *Server) CutBeforeApply(m Match) *Fault { return s.order(&Fault{kind: cutBefore, match: m}) }

// LoseReply executes a matching request, and then cuts its connection instead
// of answering. Replies to earlier requests, and events, still go out.
func (s *Server) LoseReply(m Match) *Fault { return s.order(&Fault{kind: loseReply, match: m}) }

// DelayReply executes a matching request, and answers only after d. What the
// connection is sent later waits too.
func (s *Server) DelayReply(m Match, d time.Duration) *Fault {
	return s.order(&Fault{kind: delayReply, match: m, delay: d})
}

// Hold lets a matching request wait, before it is executed, until the fault is
// removed. What its connection asks later waits behind it, and its session is
// not heard of meanwhile. [Fault.Spent] tells that the last one has arrived.
func (s *Server) Hold(m Match) *Fault { return s.order(&Fault{kind: hold, match: m}) }

// Reject answers a matching request with code instead of executing it. For
// OpAuth the connection is cut after that, as for a failed authentication.
func (s *Server) Reject(m Match, code tree.Code) *Fault {
	return s.order(&Fault{kind: reject, match: m, code: code})
}

// FailAuth fails the next n authentications (negative: all), whatever they
// offer, and cuts their connections.
func (s *Server) FailAuth(n int) *Fault {
	return s.Reject(Match{Op: OpAuth, Times: n}, tree.AuthFailed)
}
