// Package spouttest is what users of kspout test their handlers with: a Kafka
// and a ZooKeeper in the process, on the loopback interface, with faults on
// demand. It is to kspout what net/http/httptest is to net/http.
//
//	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"orders": 8}})
//	_, err := c.Produce(t.Context(), "orders", 3, spouttest.Record{Value: []byte("a")})
//	...
//	s, err := spout.New(spout.Config{
//		Brokers: c.Brokers(), ZooKeeper: c.ZooKeeper(), ID: "billing", Topics: []string{"orders"},
//	}, handler)
//	...
//	cp, ok, err := c.Stored(t.Context(), "billing", "orders", 3)
//
// The Kafka is kfake of franz-go, which answers what a real one does but keeps
// one copy of everything, in memory; it can't lose the end of a log. The
// ZooKeeper is a single server that keeps its data in memory, over outages too.
// What matters to you about either, try on real servers as well.
//
// # What can go wrong on demand
//
//   - Kafka: [Cluster.StopBroker], [Cluster.StartBroker], [Cluster.CutBroker],
//     [Cluster.MoveLeader], [Cluster.DeleteRecords], [Cluster.DeleteTopic],
//     [Cluster.RecreateTopic], [Cluster.AddPartitions]
//   - ZooKeeper: [Cluster.CutZooKeeper], [Cluster.ExpireSessions],
//     [Cluster.StopZooKeeper], [Cluster.StartZooKeeper], [Cluster.PauseZooKeeper],
//     [Cluster.ResumeZooKeeper], [Cluster.LoseReplies]
//
// All methods of a Cluster may be called concurrently.
package spouttest
