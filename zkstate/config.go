package zkstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/rs/zerolog"
)

// Limits of a [Config].
const (
	defaultServer         = "localhost:2181"
	defaultSessionTimeout = 10 * time.Second
	defaultMaxInFlight    = 128

	// defaultMaxRequest is the largest frame that a server with its default
	// jute.maxbuffer takes.
	defaultMaxRequest = 1<<20 - 1
)

// Config holds the settings of a [Client]. The zero value of each field selects
// the default named in its comment.
type Config struct {
	// Servers lists the ensemble's servers as host:port, or several with commas
	// between; the port defaults to 2181. The last one, or all of them, may
	// carry a path: host:port/chroot. Then every path of the Client lies below
	// it, and [Connect] creates it. Names are resolved at each connection.
	// Default: localhost:2181.
	Servers []string

	// SessionTimeout is what the server is asked for; [Client.Session] tells
	// what it granted. Default: 10 s.
	SessionTimeout time.Duration

	// MaxInFlight bounds the requests that are sent and not answered, over all
	// callers. Default: 128.
	MaxInFlight int

	// MaxRequest bounds the size of one request on the wire, in bytes. It is
	// the server's jute.maxbuffer: a larger request makes the server cut the
	// connection, and everybody's requests on it are lost.
	// Default: 1,048,575.
	MaxRequest int

	// Dial opens a connection to a server. Default: net.Dialer's DialContext.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Logger receives one line per change of the connection, none per request.
	// Default: discard.
	Logger zerolog.Logger
}

// withDefaults returns c with every unset field filled in.
func (c Config) withDefaults() Config {
	if len(c.Servers) == 0 {
		c.Servers = []string{defaultServer}
	}
	c.SessionTimeout = cmp.Or(c.SessionTimeout, defaultSessionTimeout)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, defaultMaxInFlight)
	c.MaxRequest = cmp.Or(c.MaxRequest, defaultMaxRequest)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	return c
}

// Validate reports every problem with c, joined, or nil.
func (c Config) Validate() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("zkstate: Config."+field+" "+format, args...))
	}
	if _, err := parseServers(c.withDefaults().Servers); err != nil {
		bad("Servers", "%w", err)
	}
	if c.SessionTimeout < 0 {
		bad("SessionTimeout", "is %s, must not be negative", c.SessionTimeout)
	}
	if c.SessionTimeout > 0 && c.SessionTimeout < minSessionTimeout {
		bad("SessionTimeout", "is %s, must be at least %s", c.SessionTimeout, minSessionTimeout)
	}
	if c.MaxInFlight < 0 {
		bad("MaxInFlight", "is %d, must not be negative", c.MaxInFlight)
	}
	if c.MaxRequest < 0 || c.MaxRequest > 0 && c.MaxRequest < minRequest {
		bad("MaxRequest", "is %d, must be at least %d bytes", c.MaxRequest, minRequest)
	}
	return errors.Join(errs...)
}

const (
	minSessionTimeout = 10 * time.Millisecond
	minRequest        = 1024
)
