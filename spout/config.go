package spout

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"regexp"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go/sasl"
)

// An Isolation says which records of transactions are delivered.
type Isolation int8

const (
	// ReadCommitted delivers records of transactions that were committed, and of
	// none, up to the first transaction that is still open.
	ReadCommitted Isolation = iota

	// ReadUncommitted delivers all records up to the high watermark.
	ReadUncommitted
)

// A Config holds the settings of a [Spout]. ID and one of Topics and Pattern are
// required; the zero value of every other field selects the default named in its
// comment.
type Config struct {
	// Brokers are the Kafka brokers, as host:port, to ask for all others.
	// Default: localhost:9092.
	Brokers []string

	// ZooKeeper are the servers that offsets are stored at, as host:port. Must be
	// empty with a Store. Default: localhost:2181.
	ZooKeeper []string

	// Root is the ZooKeeper path under which offsets are stored. Not used with a
	// Store. Default: /spout.
	Root string

	// StormPaths stores offsets where storm-kafka does, at <Root>/<ID>/partition_<n>,
	// so that either can take over from the other. One topic only; must be false
	// with a Store. Otherwise it is <Root>/<ID>/<topic>/partition_<n>.
	// Default: false.
	StormPaths bool

	// ID names the consumer: all that process the same records together, and
	// their restarts, share it. It is an element of the ZooKeeper path, so it
	// must not contain '/', and topology.name in what is stored. Required.
	ID string

	// Instance names a deployment of the consumer (storm-kafka's topology id). It
	// matters with IgnoreStored only. Default: ID.
	Instance string

	// Topics are the names of the topics to read. One that doesn't exist is
	// waited for.
	Topics []string

	// Pattern selects topics by name, besides Topics: it has to match the whole
	// name. Internal topics are never selected by it.
	Pattern *regexp.Regexp

	// Assign says which partitions are this process's. Default: all.
	Assign Assignment

	// Start is where a partition starts for which nothing is stored.
	// Default: Earliest.
	Start Start

	// IgnoreStored starts as if nothing were stored, where it was stored by
	// another Instance. A restart is not a redeployment. Default: false.
	IgnoreStored bool

	// OnOutOfRange says what to do about a stored offset that isn't in the log.
	// Default: ResetEarliest.
	OnOutOfRange OutOfRangePolicy

	// OnUndecodable says what to do about a record that the Scheme can't decode.
	// Default: SkipUndecodable.
	OnUndecodable UndecodablePolicy

	// MaxOffsetBehind gives up records that are more than that many offsets
	// behind: at open behind Start, on an ack behind the acked one, on a fail
	// behind the highest that is out. Default: off.
	MaxOffsetBehind int64

	// MaxAttempts bounds the deliveries of one record; a fail of the last one
	// drops it. Default: no bound.
	MaxAttempts int

	// Retry is the delay before each further delivery of a failed record. A field
	// that is 0 has its default, so an Initial of 1ns is what retries at once.
	// Default: Initial 100ms, Multiplier 2, Max 60s.
	Retry Backoff

	// Timeout fails a delivery that was neither acked nor failed for so long.
	// Default: none.
	Timeout time.Duration

	// MaxPending bounds, per partition, the records that were taken and aren't
	// done: queued, with the user, or waiting for their retry. At the bound no
	// new ones are taken. Negative: no bound. Default: 10,000 records.
	MaxPending int

	// MaxPartitionBytes bounds, per partition, what was fetched and not yet taken
	// (compressed), and apart from that what records that aren't done hold
	// (inflated). One batch always fits. Default: 8 MiB.
	MaxPartitionBytes int64

	// MaxBufferedBytes bounds what was fetched and not yet taken, over all
	// partitions. Default: 64 MiB.
	MaxBufferedBytes int64

	// CommitInterval is the time between two commits. A crash repeats what was
	// done since the last one. Default: 2s.
	CommitInterval time.Duration

	// DrainTimeout is how long Run, told to stop, waits for records that are with
	// the user, and for the last commit. Default: 5s.
	DrainTimeout time.Duration

	// MaxWait is how long a broker may hold a fetch for which it has nothing.
	// Default: 500ms.
	MaxWait time.Duration

	// MetadataMaxAge is the time within which new topics and partitions are
	// found. Default: 10s.
	MetadataMaxAge time.Duration

	// SessionTimeout is that of the ZooKeeper session. Not used with a Store.
	// Default: 10s.
	SessionTimeout time.Duration

	// StopAtEnd ends Run once every partition has got to where its log ended at
	// the start, and all is done and committed. Default: false.
	StopAtEnd bool

	// Isolation says which records of transactions are delivered.
	// Default: ReadCommitted.
	Isolation Isolation

	// TLS encrypts the connections to brokers. Default: plain text.
	TLS *tls.Config

	// SASL authenticates at brokers, say by the mechanisms of kafka-go's packages
	// sasl/plain and sasl/scram. Default: not at all.
	SASL sasl.Mechanism

	// Dial makes the connections to brokers. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Scheme turns records into tuples. Default: one tuple a record, its bytes as
	// they are.
	Scheme Scheme

	// Store keeps the offsets. Default: ZooKeeper.
	Store Store

	// Events are called as things happen.
	Events Events

	// Logger receives a line for each change of state, none for records.
	// Default: none.
	Logger *zerolog.Logger

	// CrashOnPanic lets a panic of user code take the process down. By default it
	// fails the record that it happened on. Default: false.
	CrashOnPanic bool
}

// withDefaults returns c with every unset optional field filled in.
func (c Config) withDefaults() Config {
	if len(c.Brokers) == 0 {
		c.Brokers = []string{"localhost:9092"}
	}
	if len(c.ZooKeeper) == 0 {
		c.ZooKeeper = []string{"localhost:2181"}
	}
	c.Root = cmp.Or(c.Root, "/spout")
	c.Instance = cmp.Or(c.Instance, c.ID)
	c.Retry.Initial = cmp.Or(c.Retry.Initial, 100*time.Millisecond)
	c.Retry.Multiplier = cmp.Or(c.Retry.Multiplier, 2)
	c.Retry.Max = cmp.Or(c.Retry.Max, time.Minute)
	c.MaxPending = cmp.Or(c.MaxPending, 10_000)
	c.MaxPartitionBytes = cmp.Or(c.MaxPartitionBytes, 8<<20)
	c.MaxBufferedBytes = cmp.Or(c.MaxBufferedBytes, 64<<20)
	c.CommitInterval = cmp.Or(c.CommitInterval, 2*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 5*time.Second)
	c.MaxWait = cmp.Or(c.MaxWait, 500*time.Millisecond)
	c.MetadataMaxAge = cmp.Or(c.MetadataMaxAge, 10*time.Second)
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	if c.Logger == nil {
		c.Logger = new(zerolog.Nop())
	}
	return c
}
