package spouttest

import (
	"net"

	"github.com/kspout/kspout/internal/zkserver"
)

func (c *Cluster) openZooKeeper() error {
	addr := loopback(c.cfg.ZooKeeperPort)
	zk, err := zkserver.Start(zkserver.Config{
		Tick: c.cfg.ZooKeeperTick,
		Listen: func() (net.Listener, error) {
			g, err := newGate(addr)
			if err != nil {
				return nil, err
			}
			addr = g.Addr().String() // where a restart listens; Listen isn't called by two at once
			c.mu.Lock()
			c.zkGate = g
			c.mu.Unlock()
			return g, nil
		},
	})
	if err != nil {
		return err
	}
	c.zk = zk
	return nil
}

// ZooKeeper returns the address of the ZooKeeper, as host:port. It stays the
// same over outages.
func (c *Cluster) ZooKeeper() []string { return []string{c.zk.Addr()} }

// CutZooKeeper cuts the connections to ZooKeeper. Sessions live on, and can be
// resumed at once.
func (c *Cluster) CutZooKeeper() { c.zookeeperGate().cut() }

// ExpireSessions ends all sessions that are connected, as if their time were
// over: their ephemeral nodes go. It returns how many there were.
func (c *Cluster) ExpireSessions() int {
	n := 0
	for _, conn := range c.zookeeperGate().list() {
		if id := conn.sessionID(); id != 0 && c.zk.ExpireSession(id) {
			n++
		}
	}
	return n
}

// StopZooKeeper makes ZooKeeper unreachable: connections are cut, new ones are
// refused. Data and sessions are kept, and no time passes for sessions.
// Stopping it again does nothing.
func (c *Cluster) StopZooKeeper() { c.zk.Stop() }

// StartZooKeeper starts a stopped ZooKeeper, at its address, with its data.
func (c *Cluster) StartZooKeeper() error { return wrap(c.zk.Restart(), "start ZooKeeper") }

// PauseZooKeeper freezes ZooKeeper: connections stay open, but nothing is
// answered, and no time passes for sessions.
func (c *Cluster) PauseZooKeeper() { c.zk.Pause() }

// ResumeZooKeeper ends a pause.
func (c *Cluster) ResumeZooKeeper() { c.zk.Resume() }

// LoseReplies lets the next n transactions be applied, and cuts the connection
// of each instead of answering it: its client can't know whether they were. Each
// commit of offsets is a transaction. The channel is closed when all n happened.
func (c *Cluster) LoseReplies(n int) <-chan struct{} {
	return c.zk.LoseReply(zkserver.Match{Op: zkserver.OpMulti, Times: n}).Spent()
}

func (c *Cluster) zookeeperGate() *gate {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.zkGate
}
