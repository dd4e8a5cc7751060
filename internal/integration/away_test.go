package integration

import (
	"testing"
	"time"

	"github.com/kspout/kspout/internal/realservers"
	"github.com/kspout/kspout/offsets"
)

// TestRealZooKeeperAway pauses ZooKeeper for longer than twice the session
// timeout while records flow: they are delivered, and committed when it is back.
func TestRealZooKeeperAway(t *testing.T) {
	t.Parallel() // it waits most of the time, for servers of its own
	topic := fresh("away")
	const partitions, away = 4, 20 * time.Second
	s := shared(t)
	s.zk = realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{})
	s.topic(t, topic, partitions, nil)
	ends := s.fill(t, topic, make([]int64, partitions), 1000)
	tl := s.startTail(t, topic, unlimited, "--commit-interval", "200ms")
	tl.await(partitions * 1000)
	s.awaitComplete(t, topic, ends)

	if err := s.zk.Node(0).Pause(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < away; {
		ends = s.fill(t, topic, ends, 250)
		tl.await(partitions * int(ends[0])) // it goes on
		select {
		case <-time.After(time.Second):
		case <-tl.done:
			tl.t.Fatalf("the tail ended: %v\n%s", tl.err, tl.said())
		}
	}
	if err := s.zk.Node(0).Resume(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	s.awaitComplete(t, topic, ends)
	t.Logf("all is committed %v after ZooKeeper is back", time.Since(start).Round(time.Millisecond))
	tl.terminate()
	tl.exits(130)
	l := life{before: make([]offsets.Checkpoint, partitions), deliveries: tl.deliveries(), after: s.stored(t, topic, partitions)}
	if err := l.checkClean(ends); err != nil {
		t.Error(err)
	}
}
