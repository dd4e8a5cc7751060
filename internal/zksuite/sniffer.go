package zksuite

import (
	"net"
	"sync"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// A sniffer dials for a client library and reads the session's id and password
// off the first reply, which the library doesn't tell.
type sniffer struct {
	mu    sync.Mutex
	first []byte // of the last connection
}

func (s *sniffer) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.first = nil
	s.mu.Unlock()
	return sniffed{conn, s}, nil
}

// session returns what the last connection has been told.
func (s *sniffer) session() (id int64, passwd []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := jute.NewDecoder(s.first)
	d.Int32() // length
	d.Int32() // protocol version
	d.Int32() // timeout
	return d.Int64(), d.Buffer()
}

type sniffed struct {
	net.Conn
	s *sniffer
}

func (c sniffed) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.s.mu.Lock()
	c.s.first = append(c.s.first, p[:min(n, max(0, 40-len(c.s.first)))]...)
	c.s.mu.Unlock()
	return n, err
}
