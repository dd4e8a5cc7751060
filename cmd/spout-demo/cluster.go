package main

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kspout/kspout/spouttest"
)

type clusterFlags struct {
	brokers, kafkaPort, zkPort int
	topics                     []string
}

func newCluster() *cobra.Command {
	var f clusterFlags
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Run a Kafka and a ZooKeeper in this process until interrupted",
		Long: `cluster runs a Kafka and a ZooKeeper in this process, in memory, on the loopback
interface, until it is interrupted. Its first line of output, written once the
topics exist, says where they are:

  {"brokers":["127.0.0.1:40001"],"zk":"127.0.0.1:40002"}

Example:

  spout-demo cluster --topic t:8 --kafka-port 9092 --zk-port 2181`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := f.config()
			if err != nil {
				return err
			}
			return runCluster(cmd.Context(), cfg, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.brokers, "brokers", 1, "how many brokers the Kafka has")
	fs.StringArrayVar(&f.topics, "topic", nil, "a topic to make, as `name:partitions`; may be repeated")
	fs.IntVar(&f.kafkaPort, "kafka-port", 0, "`port` of the first broker; others have those that follow (default: free ones)")
	fs.IntVar(&f.zkPort, "zk-port", 0, "`port` of the ZooKeeper (default: a free one)")
	return cmd
}

// legalTopic is Kafka's rule, but for the names . and ..
var legalTopic = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

func (f *clusterFlags) config() (spouttest.Config, error) {
	cfg := spouttest.Config{
		Brokers: f.brokers, KafkaPort: f.kafkaPort, ZooKeeperPort: f.zkPort, Topics: map[string]int{},
	}
	if f.brokers < 1 || f.brokers > 100 {
		return cfg, usagef("--brokers is %d: want 1 to 100", f.brokers)
	}
	if f.kafkaPort < 0 || f.kafkaPort+f.brokers-1 > 65535 {
		return cfg, usagef("--kafka-port is %d: want a port, with room for %d brokers", f.kafkaPort, f.brokers)
	}
	if f.zkPort < 0 || f.zkPort > 65535 {
		return cfg, usagef("--zk-port is %d: want a port", f.zkPort)
	}
	for _, t := range f.topics {
		name, count, ok := strings.Cut(t, ":")
		n, err := strconv.Atoi(count)
		switch {
		case !ok || err != nil || n < 1 || n > 10_000:
			return cfg, usagef("--topic is %q: want name:partitions, with 1 to 10000 partitions", t)
		case !legalTopic.MatchString(name) || name == "." || name == "..":
			return cfg, usagef("--topic is %q: a topic is named by 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-'", t)
		case cfg.Topics[name] > 0:
			return cfg, usagef("--topic names %q twice", name)
		}
		cfg.Topics[name] = n
	}
	return cfg, nil
}

// whereabouts is what cluster says first.
type whereabouts struct {
	Brokers []string `json:"brokers"`
	ZK      string   `json:"zk"`
}

func runCluster(ctx context.Context, cfg spouttest.Config, stdout, stderr io.Writer) error {
	c, err := spouttest.Open(ctx, cfg)
	if ctx.Err() != nil {
		if err == nil {
			c.Close()
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if err := json.NewEncoder(stdout).Encode(whereabouts{c.Brokers(), c.ZooKeeper()[0]}); err != nil {
		return err
	}
	log := newLogger(stderr)
	log.Info().Int("brokers", cfg.Brokers).Int("topics", len(cfg.Topics)).Msg("the cluster is up; interrupt to end it")
	<-ctx.Done()
	log.Info().Msg("the cluster ends")
	return nil
}
