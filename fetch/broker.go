package fetch

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// A broker is one address of the cluster: its connections, and the partitions
// that are read from it. Two goroutines serve them from the first partition on,
// one for new records and one for retries; they end with the broker.
type broker struct {
	client    *Client
	addr      string
	netAddr   net.Addr
	transport *kafka.Transport
	conns     *conns
	ctx       context.Context
	cancel    context.CancelFunc
	fetchKick chan struct{} // cap 1: a log may have become ready to be fetched
	retryKick chan struct{} // cap 1: a log may have a retry

	mu      sync.Mutex
	logs    []*Log
	serving bool // the goroutines run
	turn    int  // where the order of the next fetch begins
}

// transportTTL is the age at which the transport refreshes metadata that nothing
// here looks at; it also bounds the first request that it makes.
const transportTTL = 30 * time.Second

func newBroker(c *Client, addr string) *broker {
	b := &broker{
		client:    c,
		addr:      addr,
		netAddr:   kafka.TCP(addr),
		conns:     newConns(c.cfg.Dial),
		fetchKick: make(chan struct{}, 1),
		retryKick: make(chan struct{}, 1),
	}
	b.ctx, b.cancel = context.WithCancel(c.run)
	b.transport = &kafka.Transport{
		Dial:           b.conns.Dial,
		DialTimeout:    dialTimeout,
		MetadataTTL:    transportTTL,
		MetadataTopics: []string{}, // none
		ClientID:       c.cfg.ClientID,
		TLS:            c.cfg.TLS,
		SASL:           checking(c.cfg.SASL),
		Context:        b.ctx,
	}
	return b
}

// stop ends the broker's goroutines and cuts its connections. It doesn't wait.
func (b *broker) stop() {
	b.cancel()
	b.conns.cut()
	b.transport.CloseIdleConnections()
}

// add takes l to be read from b.
func (b *broker) add(l *Log) {
	b.mu.Lock()
	b.logs = append(b.logs, l)
	serve := !b.serving
	b.serving = true
	b.mu.Unlock()
	if serve {
		b.client.serve(b)
	}
	kick(b.fetchKick)
	kick(b.retryKick)
}

// remove ends the reading of l from b.
func (b *broker) remove(l *Log) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.logs, l); i >= 0 {
		b.logs = slices.Delete(b.logs, i, i+1)
	}
}

// rotation returns the logs, each time from another one on.
func (b *broker) rotation() []*Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.logs) == 0 {
		return nil
	}
	b.turn = (b.turn + 1) % len(b.logs)
	return append(slices.Clone(b.logs[b.turn:]), b.logs[:b.turn]...)
}

// serve starts the broker's goroutines, unless Run is ending.
func (c *Client) serve(b *broker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.work.Go(func() { newLane(b, b.planFetch, b.fetchKick).loop(b.ctx) })
	c.work.Go(func() { newLane(b, b.planRetries, b.retryKick).loop(b.ctx) })
}

// kick wakes who waits on ch, now or next.
func kick(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
