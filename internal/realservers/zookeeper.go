package realservers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ZooKeeperVersion is the version of ZooKeeper that this package runs.
const ZooKeeperVersion = "3.9.3"

// ZooKeeperOptions says what [OpenZooKeeper] starts. The zero value is one
// standalone server.
type ZooKeeperOptions struct {
	// Nodes is the number of servers: 1, which runs standalone, or 3, an
	// ensemble. Default: 1.
	Nodes int

	// Properties are added to every node's zoo.cfg and win over what this
	// package sets. Among that: tickTime=500 (ms), hence session timeouts from
	// 1 s to 10 s.
	Properties map[string]string

	// JVM is added to the Java command line, as "-Djute.maxbuffer=4096".
	JVM []string

	// Dir is where data and logs go, and stay. Default: a temporary directory
	// that Close removes.
	Dir string
}

// A ZooKeeper is a running ZooKeeper server or ensemble.
type ZooKeeper struct{ *cluster }

// OpenZooKeeper starts ZooKeeper and returns when every node serves, a minute
// after ctx begins at the latest, plus the time of the first download. ctx
// bounds only the start. The error is [ErrMissing] where Java, Maven or the
// download is.
func OpenZooKeeper(ctx context.Context, opts ZooKeeperOptions) (*ZooKeeper, error) {
	if opts.Nodes != 0 && opts.Nodes != 1 && opts.Nodes != 3 {
		return nil, fmt.Errorf("realservers: zookeeper: %d nodes, must be 1 or 3", opts.Nodes)
	}
	in, err := findInstall(ctx, zooKeeperBundle(ZooKeeperVersion))
	if err != nil {
		return nil, err
	}
	in.train(ctx, func(ctx context.Context, in install, option string) (*cluster, error) {
		return openZooKeeper(ctx, in, ZooKeeperOptions{JVM: []string{option}})
	})
	c, err := openZooKeeper(ctx, in, opts)
	if err != nil {
		return nil, err
	}
	return &ZooKeeper{c}, nil
}

func openZooKeeper(ctx context.Context, in install, opts ZooKeeperOptions) (*cluster, error) {
	return openCluster(ctx, opts.Dir, max(opts.Nodes, 1), 3, func(dir string, ports [][]port) ([]*Node, error) {
		nodes := make([]*Node, len(ports))
		for i := range nodes {
			var err error
			if nodes[i], err = newZooKeeperNode(in, dir, i, ports, opts); err != nil {
				return nil, fmt.Errorf("realservers: zookeeper-%d: %w", i, err)
			}
		}
		return nodes, nil
	})
}

// newZooKeeperNode makes the directory of node i: the ports of each node are
// the clients', the quorum's and the election's.
func newZooKeeperNode(in install, dir string, i int, ports [][]port, opts ZooKeeperOptions) (*Node, error) {
	n := &Node{name: fmt.Sprintf("zookeeper-%d", i), addr: ports[i][0].addr()}
	n.dir = filepath.Join(dir, n.name)
	n.command = func() *exec.Cmd {
		jvm := []string{
			"-Dzookeeper.forceSync=no",     // what was written survives SIGKILL without
			"-Dzookeeper.preAllocSize=512", // KiB of each transaction log
		}
		return in.command(n.dir, "256m", append(jvm, opts.JVM...), "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg")
	}
	n.ready = func(ctx context.Context) error { return askZooKeeper(ctx, n.addr) }
	data := filepath.Join(n.dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, err
	}
	props := map[string]string{
		"tickTime":               "500",
		"initLimit":              "20",
		"syncLimit":              "6",
		"dataDir":                data,
		"clientPort":             strconv.Itoa(ports[i][0].number),
		"clientPortAddress":      "127.0.0.1",
		"maxClientCnxns":         "0",
		"admin.enableServer":     "false",
		"4lw.commands.whitelist": "ruok,srvr",
	}
	if len(ports) > 1 {
		for j, p := range ports {
			props["server."+strconv.Itoa(j+1)] = fmt.Sprintf("127.0.0.1:%d:%d", p[1].number, p[2].number)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "myid"), []byte(strconv.Itoa(i+1)), 0o644); err != nil {
		return nil, err
	}
	return n, writeProperties(filepath.Join(n.dir, "zoo.cfg"), props, opts.Properties)
}

// Leader returns the node that leads the ensemble, or the one node there is,
// after waiting for an election until ctx ends.
func (z *ZooKeeper) Leader(ctx context.Context) (int, error) {
	for {
		for i, n := range z.nodes {
			mode, err := zooKeeperMode(ctx, n.addr)
			if err == nil && (mode == "leader" || mode == "standalone") {
				return i, nil
			}
		}
		if err := sleep(ctx, askInterval); err != nil {
			return 0, fmt.Errorf("realservers: zookeeper: no leader: %w", err)
		}
	}
}

func askZooKeeper(ctx context.Context, addr string) error {
	_, err := zooKeeperMode(ctx, addr)
	return err
}

// zooKeeperMode returns the Mode of a serving server: leader, follower or
// standalone.
func zooKeeperMode(ctx context.Context, addr string) (string, error) {
	reply, err := fourLetterWord(ctx, addr, "srvr")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(reply) {
		if mode, ok := strings.CutPrefix(line, "Mode: "); ok {
			return strings.TrimSpace(mode), nil
		}
	}
	return "", fmt.Errorf("srvr: %q", strings.TrimSpace(reply))
}

// fourLetterWord sends one of ZooKeeper's commands to addr and returns the
// reply.
func fourLetterWord(ctx context.Context, addr, word string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	conn, err := dial(ctx, addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, word); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(io.LimitReader(conn, 1<<20))
	if err == nil && len(reply) == 0 {
		err = errors.New(word + ": no reply")
	}
	return string(reply), err
}
