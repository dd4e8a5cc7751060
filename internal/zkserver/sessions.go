package zkserver

import (
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"time"
)

// A session is one client's. It outlives its connections.
type session struct {
	id       int64
	passwd   [16]byte
	timeout  time.Duration // as negotiated by the last connect
	deadline time.Time     // it expires then unless it is heard of before
	conn     *conn         // nil while disconnected
}

// sessions are all living sessions by id.
type sessions struct {
	byID     map[int64]*session
	next     int64         // id of the next one
	min, max time.Duration // bounds of a timeout
}

// newSessions returns an empty table. Ids count up from a number made of now,
// as ZooKeeper's do, so that those of two servers differ.
func newSessions(now time.Time, lowest, highest time.Duration) *sessions {
	return &sessions{
		byID: map[int64]*session{},
		next: 1<<56 | now.UnixMilli()<<24>>8&(1<<56-1),
		min:  lowest, max: highest,
	}
}

// negotiate returns the timeout that a client gets for asking want.
func (s *sessions) negotiate(want time.Duration) time.Duration {
	return min(max(want, s.min), s.max)
}

// open starts a session.
func (s *sessions) open(now time.Time, timeout time.Duration) *session {
	x := &session{id: s.next, timeout: timeout, deadline: now.Add(timeout)}
	rand.Read(x.passwd[:]) // never fails
	s.next++
	s.byID[x.id] = x
	return x
}

// resume returns the session with this id and password, its timeout renewed,
// or nil.
func (s *sessions) resume(now time.Time, id int64, passwd []byte, timeout time.Duration) *session {
	x := s.byID[id]
	if x == nil || subtle.ConstantTimeCompare(x.passwd[:], passwd) == 0 {
		return nil
	}
	x.timeout = timeout
	x.touch(now)
	return x
}

// touch puts off the end of the session.
func (x *session) touch(now time.Time) { x.deadline = now.Add(x.timeout) }

// renew gives every session its full timeout, as after a restart.
func (s *sessions) renew(now time.Time) {
	for _, x := range s.byID {
		x.touch(now)
	}
}

// expired returns the sessions that are over at now, the earliest first.
func (s *sessions) expired(now time.Time) []*session {
	var over []*session
	for _, x := range s.byID {
		if !now.Before(x.deadline) {
			over = append(over, x)
		}
	}
	slices.SortFunc(over, func(a, b *session) int { return a.deadline.Compare(b.deadline) })
	return over
}
