package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go/sasl"
)

// An Isolation says which records of transactions are delivered.
type Isolation int8

const (
	// ReadCommitted delivers records of committed transactions only, and nothing
	// behind the first one that is still open. The zero value.
	ReadCommitted Isolation = iota
	// ReadUncommitted delivers every record, those of aborted transactions too.
	ReadUncommitted
)

// wire returns the isolation as the protocol numbers it.
func (i Isolation) wire() int8 {
	if i == ReadCommitted {
		return 1
	}
	return 0
}

// Config holds the settings of a [Client]. The zero value of every field but
// Brokers selects the default named in its comment.
type Config struct {
	// Brokers are the addresses, host:port, to find the cluster by. The client
	// comes back to them when it has lost all brokers that it knew.
	Brokers []string

	// ClientID names this client in the brokers' logs, metrics and quotas.
	// Default: kspout.
	ClientID string

	// TLS, if not nil, encrypts every connection.
	TLS *tls.Config

	// SASL, if not nil, authenticates every connection.
	SASL sasl.Mechanism

	// Isolation is [ReadCommitted] by default.
	Isolation Isolation

	// MaxWait is how long a broker may hold a request for which it has no
	// records. Default: 500ms.
	MaxWait time.Duration

	// MetadataMaxAge is the time between two looks at the cluster's metadata when
	// nothing else asks for one. Default: 10s.
	MetadataMaxAge time.Duration

	// MaxPartitionBytes and MaxBufferedBytes bound what is fetched ahead, in
	// bytes as the broker sends them (compressed): of one partition, and of all
	// together, which share it evenly. One batch of each partition always fits.
	// Defaults: 4 MiB and 64 MiB.
	MaxPartitionBytes, MaxBufferedBytes int64

	// Logger receives a line per change of state, none per record or request.
	// The zero value discards.
	Logger zerolog.Logger

	// Dial opens connections. Default: that of a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// withDefaults returns c with every unset field filled in.
func (c Config) withDefaults() Config {
	c.ClientID = cmp.Or(c.ClientID, "kspout")
	c.MaxWait = cmp.Or(c.MaxWait, 500*time.Millisecond)
	c.MetadataMaxAge = cmp.Or(c.MetadataMaxAge, 10*time.Second)
	c.MaxPartitionBytes = cmp.Or(c.MaxPartitionBytes, 4<<20)
	c.MaxBufferedBytes = cmp.Or(c.MaxBufferedBytes, 64<<20)
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	return c
}

// dialTimeout bounds the opening of a connection, with TLS and SASL.
const dialTimeout = 5 * time.Second
