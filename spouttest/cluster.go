package spouttest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kspout/kspout/internal/zkserver"
)

// ErrClosed is what methods of a [Cluster] return after Close.
var ErrClosed = errors.New("spouttest: the cluster is closed")

// A Cluster is a Kafka and a ZooKeeper in the process. All of its methods are
// safe for concurrent use.
type Cluster struct {
	cfg   Config
	gates []*gate // by broker
	zk    *zkserver.Server

	// mu is held for reading while kafka is called, which must not happen after
	// its Close.
	mu     sync.RWMutex
	kafka  *kfake.Cluster // nil when closed
	zkGate *gate          // of the ZooKeeper's present life
	down   map[int]bool   // brokers that are stopped
}

// Start runs a Cluster until the end of the test. It fails the test if that
// can't be done.
func Start(t testing.TB, cfg Config) *Cluster {
	t.Helper()
	c, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Open runs a Cluster until Close. It returns once all topics exist, or an error
// that tells which setting or port can't be used.
func Open(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	if err := errors.Join(cfg.validate(), ctx.Err()); err != nil {
		return nil, err
	}
	c := &Cluster{cfg: cfg, down: map[int]bool{}}
	if err := c.openKafka(); err != nil {
		c.Close()
		return nil, fmt.Errorf("spouttest: Kafka: %w", err)
	}
	if err := c.openZooKeeper(); err != nil {
		c.Close()
		return nil, fmt.Errorf("spouttest: ZooKeeper: %w", err)
	}
	return c, nil
}

func (c *Cluster) openKafka() error {
	for i := range c.cfg.Brokers {
		port := 0
		if c.cfg.KafkaPort > 0 {
			port = c.cfg.KafkaPort + i
		}
		g, err := newGate(loopback(port))
		if err != nil {
			return err
		}
		c.gates = append(c.gates, g)
	}
	next := 0
	opts := []kfake.Opt{
		kfake.NumBrokers(c.cfg.Brokers),
		kfake.BrokerConfigs(map[string]string{"message.max.bytes": strconv.Itoa(c.cfg.MaxMessageBytes)}),
		kfake.ListenFn(func(network, address string) (net.Listener, error) {
			if next == len(c.gates) {
				return net.Listen(network, address) // a node that the user adds
			}
			next++
			return c.gates[next-1], nil
		}),
	}
	kafka, err := kfake.NewCluster(append(opts, c.cfg.Kafka...)...)
	if err != nil {
		return err
	}
	c.kafka = kafka
	for name, n := range c.cfg.Topics {
		if err := c.CreateTopic(name, n, nil); err != nil {
			return err
		}
	}
	return nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Brokers returns the addresses of the brokers, as host:port. They stay the same
// over outages.
func (c *Cluster) Brokers() []string {
	var addrs []string
	for _, g := range c.gates {
		addrs = append(addrs, g.Addr().String())
	}
	return addrs
}

// Close stops both servers. Closing again does nothing.
func (c *Cluster) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kafka != nil {
		c.kafka.Close()
		c.kafka = nil
	}
	for _, g := range c.gates {
		g.Close()
		g.cut()
	}
	if c.zk != nil {
		c.zk.Close()
	}
}

// admin calls f with the Kafka, unless it is closed.
func (c *Cluster) admin(f func(*kfake.Cluster) error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.kafka == nil {
		return ErrClosed
	}
	return f(c.kafka)
}
