package spouttest

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// A Config holds the settings of a [Cluster]. The zero value of every field
// selects its default.
type Config struct {
	// Brokers is how many brokers the Kafka has. Default: 1.
	Brokers int

	// Topics are made before anything else can be: the number of partitions of
	// each, by name. Default: none.
	Topics map[string]int

	// KafkaPort is the port of the first broker; the others have the ones that
	// follow. Default: ports that are free.
	KafkaPort int

	// ZooKeeperPort is the port of the ZooKeeper. Default: one that is free.
	ZooKeeperPort int

	// ZooKeeperTick is the tickTime of the ZooKeeper, which grants session
	// timeouts between 2 and 20 of it. Default: 500ms.
	ZooKeeperTick time.Duration

	// MaxMessageBytes is the brokers' message.max.bytes: the largest batch that
	// is taken, hence about the largest record. Default: 16 MiB, where Kafka's
	// is 1 MiB.
	MaxMessageBytes int

	// Kafka are further options of the Kafka, such as kfake.TLS and
	// kfake.Superuser. With TLS or SASL, Produce and AddPartitions don't work.
	Kafka []kfake.Opt
}

func (c Config) withDefaults() Config {
	c.Brokers = cmp.Or(c.Brokers, 1)
	c.MaxMessageBytes = cmp.Or(c.MaxMessageBytes, 16<<20)
	return c
}

// validate reports every fault of c, joined.
func (c Config) validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("spouttest: Config."+format, args...))
	}
	if c.Brokers < 1 {
		bad("Brokers is %d, must be at least 1", c.Brokers)
	}
	for name, n := range c.Topics {
		if name == "" || n < 1 {
			bad("Topics has %q with %d partitions: want a name, and at least 1", name, n)
		}
	}
	if p := c.KafkaPort; p < 0 || p > 0 && p+c.Brokers-1 > 65535 {
		bad("KafkaPort is %d, must leave ports up to 65535 for %d brokers", p, c.Brokers)
	}
	if c.ZooKeeperPort < 0 || c.ZooKeeperPort > 65535 {
		bad("ZooKeeperPort is %d, must be a port", c.ZooKeeperPort)
	}
	if c.MaxMessageBytes < 1 {
		bad("MaxMessageBytes is %d, must be at least 1", c.MaxMessageBytes)
	}
	return errors.Join(errs...)
}
