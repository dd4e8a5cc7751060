package zkstate

import "math/rand/v2"

// hosts hands the library the next server to try. It stands in the place of the
// library's own provider, which resolves names once, fails if it can't, and
// makes the library fail unsent requests and sleep for a second at each
// reconnection to a single server. Used by the library's goroutine only.
type hosts struct {
	list    []string
	next    int
	closing func() bool
}

// newHosts starts at a random server, so that many clients spread.
func newHosts(list []string, closing func() bool) *hosts {
	shuffled := make([]string, len(list))
	for i, j := range rand.Perm(len(list)) {
		shuffled[i] = list[j]
	}
	return &hosts{list: shuffled, closing: closing}
}

// Init is a no-op: the list is what newHosts got.
func (h *hosts) Init([]string) error { return nil }

// Len returns the number of servers.
func (h *hosts) Len() int { return len(h.list) }

// Next returns the next server. Its second result makes the library look
// whether it's closed, which it does nowhere else while it can't connect.
func (h *hosts) Next() (string, bool) {
	s := h.list[h.next%len(h.list)]
	h.next++
	return s, h.closing()
}

// Connected is a no-op: the pause between attempts is the session's.
func (h *hosts) Connected() {}
