package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// A call is one request to one broker and what it makes of the answer. It is
// handed the raw connection by [kafka.Transport], so neither the request nor its
// version needs to be known to kafka-go.
//
// When a call's context is cancelled, the exchange may still be reading. So the
// answer is only ever a value that decode returns, never memory that the caller
// holds.
type call[T any] struct {
	key      int16
	speak    versionRange // the versions that encode and decode know
	flexible int16        // the first one with compact fields; 0: none
	clientID string
	encode   func(w *writer, version int16)
	decode   func(r *reader, version int16) (T, error)
}

var (
	_ protocol.Message       = (*call[int])(nil)
	_ protocol.BrokerMessage = (*call[int])(nil)
	_ protocol.RawExchanger  = (*call[int])(nil)
)

// ApiKey implements [protocol.Message].
func (c *call[T]) ApiKey() protocol.ApiKey { return protocol.ApiKey(c.key) }

// Broker implements [protocol.BrokerMessage]: -1 is the address that the
// transport was given, whatever the cluster looks like.
func (c *call[T]) Broker(protocol.Cluster) (protocol.Broker, error) {
	return protocol.Broker{ID: -1}, nil
}

// Required implements [protocol.RawExchanger].
func (c *call[T]) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange implements [protocol.RawExchanger]. After an error the transport
// closes the connection.
func (c *call[T]) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	conn, err := connOf(rw)
	if err != nil {
		return nil, err
	}
	peer, err := conn.versions(rw, c.clientID)
	if err != nil {
		return nil, err
	}
	version, ok := c.speak.pick(peer[c.key])
	if !ok {
		return nil, fmt.Errorf("%w: of request %d the broker speaks %v, want one of %v", kafka.UnsupportedVersion, c.key, peer[c.key], c.speak)
	}
	value, err := c.exchange(rw, conn.reader(rw), version)
	if err != nil {
		return nil, err
	}
	return &answer[T]{c.key, value}, nil
}

// exchange writes the request in this version, and reads the answer.
func (c *call[T]) exchange(out io.Writer, in io.Reader, version int16) (zero T, err error) {
	const correlation = 1 // one request at a time is under way on a connection
	w := writer{b: make([]byte, 4, 512)}
	w.int16(c.key)
	w.int16(version)
	w.int32(correlation)
	w.string(c.clientID) // compact in no version of the header
	w.flexible = c.flexible > 0 && version >= c.flexible
	w.tags()
	c.encode(&w, version)
	size := writer{b: w.b[:0]}
	size.int32(int32(len(w.b) - 4))
	if _, err := out.Write(w.b); err != nil {
		return zero, err
	}
	r := reader{src: in, left: 4}
	r.left = int(r.int32())
	if id := r.int32(); r.bad || id != correlation {
		return zero, r.fault(fmt.Sprintf("answer %d to request %d", id, correlation))
	}
	r.flexible = w.flexible
	r.tags()
	value, err := c.decode(&r, version)
	if err != nil {
		return zero, err
	}
	if r.bad {
		return zero, r.fault("malformed answer")
	}
	if _, err := io.CopyN(io.Discard, in, int64(r.left)); err != nil {
		return zero, noEOF(err)
	}
	return value, nil
}

// fault returns what made r bad.
func (r *reader) fault(what string) error {
	if r.err != nil {
		return r.err
	}
	return fmt.Errorf("fetch: %s", what)
}

// An answer carries the value of a call through the transport.
type answer[T any] struct {
	key   int16
	value T
}

// ApiKey implements [protocol.Message].
func (a *answer[T]) ApiKey() protocol.ApiKey { return protocol.ApiKey(a.key) }

// answerTime bounds how long an answer may take beyond what the request lets the
// broker wait.
const answerTime = 10 * time.Second

// roundTrip makes the call at broker b, which may take wait to answer.
func roundTrip[T any](ctx context.Context, b *broker, c *call[T], wait time.Duration) (zero T, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait+answerTime)
	defer cancel()
	c.clientID = b.client.cfg.ClientID
	m, err := b.transport.RoundTrip(ctx, b.netAddr, c)
	if err != nil {
		return zero, b.exchangeError(err)
	}
	return m.(*answer[T]).value, nil
}

// connOf returns the connection under rw, however it is wrapped: TLS and kafka-go
// pass its address on.
func connOf(rw io.ReadWriter) (*conn, error) {
	if a, ok := rw.(interface{ LocalAddr() net.Addr }); ok {
		if a, ok := a.LocalAddr().(connAddr); ok {
			return a.conn, nil
		}
	}
	return nil, fmt.Errorf("fetch: kafka-go hands out %T, not its connection", rw)
}
