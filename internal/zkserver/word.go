package zkserver

import (
	"fmt"
	"strings"
)

// isWord reports whether the first four bytes of a connection are a word
// rather than a length: as a length, letters are far above any limit.
func isWord(b [4]byte) bool {
	for _, c := range b {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// word answers a four-letter word and lets the connection end.
func (s *Server) word(c *conn, word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text string
	switch word {
	case "ruok":
		text = "imok"
	case "srvr":
		text = s.srvr()
	default:
		text = word + " is not executed because it is not in the whitelist.\n"
	}
	c.out.put(parcel{frame: []byte(text), last: true})
}

// srvr is what the word srvr prints.
func (s *Server) srvr() string {
	var b strings.Builder
	b.WriteString("Zookeeper version: 3.9.3-kspout, built on 2024-10-17 23:21 UTC\n")
	b.WriteString("Latency min/avg/max: 0/0.0/0\n")
	fmt.Fprintf(&b, "Received: %d\nSent: %d\n", s.received, s.sent)
	fmt.Fprintf(&b, "Connections: %d\nOutstanding: 0\n", len(s.conns))
	fmt.Fprintf(&b, "Zxid: 0x%x\nMode: standalone\nNode count: %d\n", s.tree.Zxid(), s.tree.Len())
	return b.String()
}
