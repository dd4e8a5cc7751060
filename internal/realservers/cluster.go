package realservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// openAttempts is how often a cluster is tried on new ports when a process
// outside this package has taken one between its choice and its use.
const openAttempts = 3

// A cluster is what Kafka and ZooKeeper have in common: nodes that start
// together, and what must be given back at the end.
type cluster struct {
	nodes []*Node
	dir   string
	close func() // gives ports and the directory back
	once  sync.Once
}

// openCluster starts the nodes that build makes in dir on perNode reserved
// ports each. If dir is "", the nodes get a temporary directory, which close
// removes.
func openCluster(ctx context.Context, dir string, count, perNode int, build func(dir string, ports [][]port) ([]*Node, error)) (*cluster, error) {
	var err error
	for range openAttempts {
		var c *cluster
		if c, err = tryCluster(ctx, dir, count, perNode, build); err == nil || !isPortTaken(err) {
			return c, err
		}
	}
	return nil, err
}

// isPortTaken reports whether err, which has the last lines of a server's log,
// comes from a port in use.
func isPortTaken(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Address already in use") || strings.Contains(err.Error(), "java.net.BindException"))
}

func tryCluster(ctx context.Context, dir string, count, perNode int, build func(dir string, ports [][]port) ([]*Node, error)) (c *cluster, err error) {
	flat, err := reservePorts(count * perNode)
	if err != nil {
		return nil, err
	}
	// A directory of its own for each attempt: the data of one is not another's.
	parent := dir
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			releasePorts(flat)
			return nil, fmt.Errorf("realservers: %w", err)
		}
	}
	if dir, err = os.MkdirTemp(parent, "kspout-servers-*"); err != nil {
		releasePorts(flat)
		return nil, fmt.Errorf("realservers: %w", err)
	}
	c = &cluster{dir: dir}
	c.close = func() {
		releasePorts(flat)
		if parent == "" {
			os.RemoveAll(dir)
		}
	}
	defer func() {
		if err != nil {
			c.Close()
			c = nil
		}
	}()
	ports := make([][]port, count)
	for i := range ports {
		ports[i] = flat[i*perNode : (i+1)*perNode]
	}
	if c.nodes, err = build(dir, ports); err != nil {
		return c, err
	}
	return c, c.StartAll(ctx)
}

// Nodes returns the number of nodes, running or not.
func (c *cluster) Nodes() int { return len(c.nodes) }

// Node returns node i, counted from 0.
func (c *cluster) Node(i int) *Node { return c.nodes[i] }

// Addrs returns the addresses of all nodes, running or not.
func (c *cluster) Addrs() []string {
	addrs := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		addrs[i] = n.addr
	}
	return addrs
}

// StartAll starts every node that isn't running, all at once, and waits until
// each serves; see [Node.Start]. A majority that is down can only come back
// this way: one node alone never serves.
func (c *cluster) StartAll(ctx context.Context) error {
	errs := make([]error, len(c.nodes))
	var wg sync.WaitGroup
	for i, n := range c.nodes {
		wg.Go(func() { errs[i] = n.Start(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// KillAll ends every node by SIGKILL; see [Node.Kill].
func (c *cluster) KillAll() error {
	errs := make([]error, len(c.nodes))
	for i, n := range c.nodes {
		errs[i] = n.Kill()
	}
	return errors.Join(errs...)
}

// Close kills all nodes and removes their data, unless the data lie in a
// directory that the caller gave. After the first call it does nothing.
func (c *cluster) Close() error {
	var err error
	c.once.Do(func() {
		err = c.KillAll()
		c.close()
	})
	return err
}
