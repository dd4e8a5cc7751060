package zkserver

import (
	"cmp"
	"slices"
	"time"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// A Session is what is known of a living session.
type Session struct {
	ID         int64
	Timeout    time.Duration // as negotiated
	Connected  bool
	Ephemerals []string // paths of its nodes, sorted
}

// Sessions returns the living sessions by id, which is the order in which they
// were opened.
func (s *Server) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Session, 0, len(s.sessions.byID))
	for id, x := range s.sessions.byID {
		paths := s.tree.Ephemerals(id)
		slices.Sort(paths)
		list = append(list, Session{ID: id, Timeout: x.timeout, Connected: x.conn != nil, Ephemerals: paths})
	}
	slices.SortFunc(list, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// superuser may do everything.
var superuser = tree.Caller{IDs: []tree.ID{{Scheme: "super"}}}

// Get returns a copy of a node's data, whatever its ACL, without a session;
// also while the server is stopped or paused. ok is false if there is no such
// node.
func (s *Server) Get(path string) (data []byte, stat tree.Stat, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, stat, code := s.tree.Get(superuser, path)
	return slices.Clone(data), stat, code == tree.OK
}

// Children returns the sorted names of a node's children, whatever its ACL,
// as Get does its data.
func (s *Server) Children(path string) (names []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, _, code := s.tree.Children(superuser, path)
	return names, code == tree.OK
}
