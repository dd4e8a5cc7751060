package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"testing"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/zkstate"
)

// stormNode is what storm-kafka reads and writes.
type stormNode struct {
	Topology struct {
		ID   *string `json:"id"`
		Name *string `json:"name"`
	} `json:"topology"`
	Offset    *int64 `json:"offset"`
	Partition *int   `json:"partition"`
	Broker    struct {
		Host *string `json:"host"`
		Port *int    `json:"port"`
	} `json:"broker"`
	Topic *string `json:"topic"`
}

// written is a node as storm-kafka writes it.
func written(topic string, offset int64) string {
	return fmt.Sprintf(`{"topology":{"id":"words-3-1400000000","name":"words"},"offset":%d,"partition":0,"broker":{"host":"10.0.0.1","port":9092},"topic":%q}`, offset, topic)
}

// TestRealStorm takes over from storm-kafka: it continues from a node that
// storm-kafka wrote, and storm-kafka can continue from what is in it afterwards.
func TestRealStorm(t *testing.T) {
	s := shared(t)
	topic := fresh("storm")
	const from, later, records = 37, 90, 100
	s.topic(t, topic, 1, nil)
	ends := s.fill(t, topic, []int64{0}, records)
	node := path.Join(root, id, "partition_0")
	s.put(t, node, written(topic, from))

	var got tally
	c := s.consume(t, spout.Config{Topics: []string{topic}, StormPaths: true, StopAtEnd: true}, func(_ context.Context, tu *spout.Tuple) {
		got.note(tu)
		tu.Ack()
	})
	c.ends()
	got.exactly(t, []int64{from}, ends)

	data := s.nodes(t, node)[0]
	var n stormNode
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if n.Topology.ID == nil || *n.Topology.ID != id || n.Topology.Name == nil || *n.Topology.Name != id ||
		n.Offset == nil || *n.Offset != records || n.Partition == nil || *n.Partition != 0 ||
		n.Broker.Host == nil || n.Broker.Port == nil || !slices.Contains(s.kafka.Brokers(), net.JoinHostPort(*n.Broker.Host, strconv.Itoa(*n.Broker.Port))) ||
		n.Topic == nil || *n.Topic != topic {
		t.Errorf("stored for storm-kafka: %s", data)
	}
	if other := s.nodes(t, offsetPath(topic, 0))[0]; other != nil {
		t.Errorf("also stored where storm-kafka doesn't look: %s", other)
	}

	// Storm writes its five keys only, and goes back and forth with us.
	s.put(t, node, written(topic, later))
	var again tally
	s.consume(t, spout.Config{Topics: []string{topic}, StormPaths: true, StopAtEnd: true}, func(_ context.Context, tu *spout.Tuple) {
		again.note(tu)
		tu.Ack()
	}).ends()
	again.exactly(t, []int64{later}, ends)
}

// put writes a node, whoever wrote it before, as storm-kafka does. It makes the
// node, and all above it.
func (s servers) put(t *testing.T, node, data string) {
	t.Helper()
	requests := []zkstate.Request{zkstate.Create{Path: node}}
	for p := path.Dir(node); p != "/"; p = path.Dir(p) {
		requests = append(requests, zkstate.Create{Path: p})
	}
	slices.Reverse(requests)
	s.withZooKeeper(t, func(ctx context.Context, c *zkstate.Client) {
		c.Retry(ctx, requests...) // some exist
		if err := c.Retry(ctx, zkstate.Set{Path: node, Data: []byte(data), Version: zkstate.AnyVersion})[0].Err(); err != nil {
			t.Fatal(err)
		}
	})
}
