package zkserver

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// maxFrame is ZooKeeper's default jute.maxbuffer.
const maxFrame = 1<<20 - 1

// Config holds the settings of a [Server]. The zero value of every field
// selects its default.
type Config struct {
	// Addr is where to listen: an address of the loopback interface and a
	// port, 0 for one that is free. Default: 127.0.0.1:0.
	Addr string

	// Listen, if set, makes the listener instead of Addr, once for Start and
	// once for each Restart. [Pipe.Listen] is one that needs no socket, for
	// use in a testing/synctest bubble.
	Listen func() (net.Listener, error)

	// Tick is ZooKeeper's tickTime. The timeout of a session is negotiated to
	// between 2 and 20 ticks, and a session ends at the first tick after its
	// timeout. Default: 500 ms, hence timeouts of 1 to 10 s.
	Tick time.Duration

	// MaxFrame is the longest request in bytes; a longer one cuts its
	// connection. Default: 1,048,575, as ZooKeeper's.
	MaxFrame int
}

func (c Config) withDefaults() Config {
	c.Addr = cmp.Or(c.Addr, "127.0.0.1:0")
	c.Tick = cmp.Or(c.Tick, 500*time.Millisecond)
	c.MaxFrame = cmp.Or(c.MaxFrame, maxFrame)
	return c
}

// validate reports every problem with c, joined.
func (c Config) validate() error {
	var errs []error
	if addr, err := netip.ParseAddrPort(c.Addr); err != nil || !addr.Addr().IsLoopback() {
		errs = append(errs, fmt.Errorf("zkserver: config: Addr %q is not a loopback address and a port", c.Addr))
	}
	if c.Tick < time.Millisecond {
		errs = append(errs, fmt.Errorf("zkserver: config: Tick %v is below 1ms", c.Tick))
	}
	if c.MaxFrame < 0 {
		errs = append(errs, fmt.Errorf("zkserver: config: MaxFrame %d is negative", c.MaxFrame))
	}
	return errors.Join(errs...)
}

func (c Config) minTimeout() time.Duration { return 2 * c.Tick }
func (c Config) maxTimeout() time.Duration { return 20 * c.Tick }

// listen opens the listener; addr is where it was the time before, or empty.
func (c Config) listen(addr string) (net.Listener, error) {
	if c.Listen != nil {
		return c.Listen()
	}
	return net.Listen("tcp", cmp.Or(addr, c.Addr))
}
