package integration

import (
	"strconv"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/realservers"
)

// TestRealOutage kills one of three brokers in the middle of a tail, and
// ZooKeeper, and starts both again. All of it is one life of the tail: a record
// comes again only if it failed (STORM-2361: a leader that moved repeats nothing).
func TestRealOutage(t *testing.T) {
	t.Parallel() // it waits most of the time, for servers of its own
	realservers.Require(t)
	t.ArtifactDir()
	s := servers{
		kafka: realservers.StartKafka(t, realservers.KafkaOptions{Nodes: 3}),
		zk:    realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{}),
	}
	topic := fresh("outage")
	const partitions, records = 8, 100_000
	rng := random(t)
	s.topic(t, topic, partitions, map[string]string{"min.insync.replicas": "2"})
	ends := s.fill(t, topic, make([]int64, partitions), records/partitions)
	before := s.stored(t, topic, partitions)

	tl := s.startTail(t, topic, records/4, "-e", "--commit-interval", "100ms",
		"--fail-rate", "0.05", "--seed", strconv.Itoa(rng.IntN(1e6)))
	tl.await(records / 4)
	victim := rng.IntN(3)
	t.Logf("broker %d is killed", victim)
	if err := s.kafka.Node(victim).Kill(); err != nil {
		t.Fatal(err)
	}

	tl.hold(records / 2)
	tl.await(records / 2)
	if err := s.zk.Node(0).Kill(); err != nil {
		t.Fatal(err)
	}
	tl.hold(records/2 + records/16) // goes on without ZooKeeper
	tl.await(records/2 + records/16)
	if err := s.zk.Node(0).Start(t.Context()); err != nil {
		t.Fatal(err)
	}

	tl.hold(records * 3 / 4)
	tl.await(records * 3 / 4)
	start := time.Now()
	if err := s.kafka.Node(victim).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("broker %d is back after %v", victim, time.Since(start).Round(time.Millisecond))
	tl.hold(unlimited)
	tl.exits(0)

	l := life{before: before, deliveries: tl.deliveries(), after: s.stored(t, topic, partitions)}
	if err := l.checkClean(ends); err != nil {
		t.Error(err)
	}
	if err := checkComplete(l.after, ends); err != nil {
		t.Error(err)
	}
}
