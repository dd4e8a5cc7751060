package fetch

import (
	"context"
	"slices"
	"testing"

	"github.com/kspout/kspout/internal/realservers"
	"github.com/kspout/kspout/offsets"
)

// KIP-320 on real brokers: the leader dies, and one that has only 50 of its 80
// records is elected. The cut is told to who reads, and, when the log has grown
// past 80 again, to who opens it with what is stored.
func TestRealUncleanElection(t *testing.T) {
	realservers.Require(t)
	k := realservers.StartKafka(t, realservers.KafkaOptions{Nodes: 3})
	ctx, cancel := context.WithTimeout(t.Context(), 3*realTime)
	defer cancel()
	if err := k.CreateTopic(ctx, "orders", 1, 2, map[string]string{"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}); err != nil {
		t.Fatal(err)
	}
	if err := k.AwaitInSync(ctx, "orders"); err != nil {
		t.Fatal(err)
	}
	await := func(ok func(realservers.Partition) bool) realservers.Partition {
		t.Helper()
		var p realservers.Partition
		if err := k.AwaitPartitions(ctx, "orders", func(ps []realservers.Partition) bool { p = ps[0]; return ok(p) }); err != nil {
			t.Fatal(err)
		}
		return p
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	before := await(func(p realservers.Partition) bool { return p.Leader >= 0 })
	leader, follower := before.Leader, before.Replicas[0]
	if follower == leader {
		follower = before.Replicas[1]
	}
	c := start(t, Config{Brokers: k.Brokers()})
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	x.until(t, produce(t, producer(t, k.Brokers()), orders(0), 50))
	do(k.Node(follower).Kill())
	await(func(p realservers.Partition) bool { return slices.Equal(p.ISR, []int{leader}) })
	x.until(t, produce(t, producer(t, k.Brokers()), orders(0), 30))
	mark, ok := func() (Mark, bool) {
		x.log.mu.Lock()
		defer x.log.mu.Unlock()
		return x.log.valid.lineage.last()
	}()
	if !ok || mark.Offset != 80 {
		t.Fatalf("known of the history: %+v, want 80", mark)
	}
	do(k.Node(leader).Kill())
	do(k.Node(follower).Start(ctx))
	await(func(p realservers.Partition) bool { return p.Leader == follower })
	if a := x.take(t); a.Look == nil || a.Look.Cut != 50 || a.Look.OutOfRange {
		t.Fatalf("answer %+v, want a cut at 50", a)
	}
	x.pos = 50
	x.until(t, produce(t, producer(t, k.Brokers()), orders(0), 40))
	if x.pos != 90 {
		t.Errorf("position %d, want 90", x.pos)
	}
	looks, errs := c.LooksSince(ctx, []offsets.Partition{orders(0)}, [][]Mark{{mark, {50, 0}}})
	if errs[0] != nil || looks[0].Cut != 50 || looks[0].End != 90 {
		t.Errorf("look %+v, %v; want a cut at 50 of a log that ends at 90", looks[0], errs[0])
	}
	do(k.Node(leader).Start(ctx))
}
