package realservers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Versions of Kafka that this package is tested with.
const (
	KafkaVersion    = "4.3.1" // the default
	KafkaVersion391 = "3.9.1" // the last line before 4
)

// KafkaOptions says what [OpenKafka] starts. The zero value is one broker of
// [KafkaVersion].
type KafkaOptions struct {
	// Nodes is the number of servers, 1 or 3. Each is broker and controller.
	// Default: 1.
	Nodes int

	// Version is the version of Kafka. Default: [KafkaVersion].
	Version string

	// Properties are added to every node's server.properties and win over what
	// this package sets. Among that: topics aren't created by asking for them,
	// leaders stay where a failure has moved them, a broker is taken for dead
	// 3 s after its last sign of life.
	Properties map[string]string

	// Secure, if not nil, adds a SASL_SSL listener: see [Kafka.SecureBrokers].
	Secure *SecureListener

	// JVM is added to the Java command line. The default of this package uses
	// the quick compiler only; "-XX:TieredStopAtLevel=4" gives a slower start
	// and a faster server.
	JVM []string

	// Dir is where data and logs go, and stay. Default: a temporary directory
	// that Close removes.
	Dir string
}

// A Kafka is a running Kafka cluster in KRaft mode. The id of each broker is
// the number of its node.
type Kafka struct {
	*cluster
	install install
	secure  []string // addresses, by node; nil without a secure listener
	cert    certificate
}

// OpenKafka starts Kafka and returns when every broker serves: about 2 s later
// for one node and a minute at the latest, plus a quarter of a minute for the
// first of a version on this machine. ctx bounds only the start. The error is
// [ErrMissing] where Java, Maven or the download is.
func OpenKafka(ctx context.Context, opts KafkaOptions) (*Kafka, error) {
	if opts.Nodes != 0 && opts.Nodes != 1 && opts.Nodes != 3 {
		return nil, fmt.Errorf("realservers: kafka: %d nodes, must be 1 or 3", opts.Nodes)
	}
	in, err := findInstall(ctx, kafkaBundle(cmp.Or(opts.Version, KafkaVersion)))
	if err != nil {
		return nil, err
	}
	template, err := in.formatTemplate(ctx)
	if err != nil {
		return nil, fmt.Errorf("realservers: kafka: format: %w", err)
	}
	in.train(ctx, func(ctx context.Context, in install, option string) (*cluster, error) {
		k, err := openKafka(ctx, in, template, KafkaOptions{JVM: []string{option}})
		if err != nil {
			return nil, err
		}
		return k.cluster, nil
	})
	return openKafka(ctx, in, template, opts)
}

func openKafka(ctx context.Context, in install, template string, opts KafkaOptions) (*Kafka, error) {
	k := &Kafka{install: in}
	perNode := 2
	if opts.Secure != nil {
		perNode = 3
		var err error
		if k.cert, err = newCertificate(); err != nil {
			return nil, fmt.Errorf("realservers: kafka: certificate: %w", err)
		}
	}
	var err error
	k.cluster, err = openCluster(ctx, opts.Dir, max(opts.Nodes, 1), perNode, func(dir string, ports [][]port) ([]*Node, error) {
		nodes := make([]*Node, len(ports))
		k.secure = nil
		for i := range nodes {
			var err error
			if nodes[i], err = k.newNode(template, dir, i, ports, opts); err != nil {
				return nil, fmt.Errorf("realservers: kafka-%d: %w", i, err)
			}
		}
		return nodes, nil
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// newNode makes and formats the directory of node i: the ports of each node are
// the clients', the controller's and, where there is one, the secure listener's.
func (k *Kafka) newNode(template, dir string, i int, ports [][]port, opts KafkaOptions) (*Node, error) {
	n := &Node{name: fmt.Sprintf("kafka-%d", i), addr: ports[i][0].addr()}
	n.dir = filepath.Join(dir, n.name)
	n.command = func() *exec.Cmd {
		return k.install.command(n.dir, "512m", opts.JVM, "kafka.Kafka", "server.properties")
	}
	n.ready = func(ctx context.Context) error { return askBroker(ctx, n.addr, i) }
	if err := formatDir(template, filepath.Join(n.dir, "data"), i); err != nil {
		return nil, err
	}
	config := filepath.Join(n.dir, "server.properties")
	props := kafkaProperties(n.dir, i, ports)
	if opts.Secure != nil {
		addr := ports[i][2].addr()
		k.secure = append(k.secure, addr)
		more, err := opts.Secure.properties(n.dir, addr, k.cert, props)
		if err != nil {
			return nil, err
		}
		maps.Copy(props, more)
	}
	return n, writeProperties(config, props, opts.Properties)
}

// kafkaProperties returns the settings of node i of as many as there are ports.
func kafkaProperties(dir string, i int, ports [][]port) map[string]string {
	var voters []string
	for j, p := range ports {
		voters = append(voters, fmt.Sprintf("%d@%s", j, p[1].addr()))
	}
	replicas := strconv.Itoa(len(ports))
	minISR := strconv.Itoa(len(ports)/2 + 1)
	client, controller := "PLAINTEXT://"+ports[i][0].addr(), "CONTROLLER://"+ports[i][1].addr()
	return map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        strconv.Itoa(i),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"controller.listener.names":      "CONTROLLER",
		"listeners":                      client + "," + controller,
		"advertised.listeners":           client,
		"inter.broker.listener.name":     "PLAINTEXT",
		"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"log.dirs":                       filepath.Join(dir, "data"),

		"auto.create.topics.enable":                "false",
		"auto.leader.rebalance.enable":             "false",
		"offsets.topic.num.partitions":             "4",
		"offsets.topic.replication.factor":         replicas,
		"transaction.state.log.num.partitions":     "4",
		"transaction.state.log.replication.factor": replicas,
		"transaction.state.log.min.isr":            minISR,

		// Soon up, soon noticed as down.
		"group.initial.rebalance.delay.ms": "0",
		"broker.heartbeat.interval.ms":     "500",
		"broker.session.timeout.ms":        "3000",
		"log.segment.delete.delay.ms":      "1000",

		// Small.
		"num.network.threads":            "2",
		"num.io.threads":                 "4",
		"background.threads":             "2",
		"log.cleaner.threads":            "1",
		"log.cleaner.dedupe.buffer.size": "16777216",
	}
}

// Brokers returns the addresses of all brokers, running or not.
func (k *Kafka) Brokers() []string { return k.Addrs() }
