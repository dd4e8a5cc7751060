package fetch

import (
	"context"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/offsets"
)

// Partitions that are added are seen by the next look at the topic, and read from
// their start.
func TestCreatePartitions(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(2, "orders"))
	cl := producer(t, cluster.ListenAddrs(), kgo.MetadataMinAge(10*time.Millisecond), kgo.MetadataMaxAge(20*time.Millisecond))
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = "orders", 4
	req.Topics = append(req.Topics, rt)
	request[*kmsg.CreatePartitionsResponse](t, cl, req)
	topics, err := c.Topics(t.Context(), []string{"orders"})
	if err != nil || len(topics[0].Partitions) != 4 {
		t.Fatalf("topics %+v, %v; want 4 partitions", topics, err)
	}
	end := produce(t, cl, orders(3), 5)
	open(t, c, orders(3), topics[0].ID, 0).until(t, end)
}

// All brokers are replaced, one by one and then all at once behind the bootstrap
// name: it goes on, and nothing is left of the dead addresses.
func TestBrokersReplaced(t *testing.T) {
	first, second := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(1, "orders")), newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	produce(t, producer(t, first.ListenAddrs()), orders(0), 10)
	produce(t, producer(t, second.ListenAddrs()), orders(0), 20)
	var name atomic.Value // what the bootstrap name stands for
	name.Store(first.ListenAddrs()[0])
	c := start(t, Config{Brokers: []string{"kafka:9092"}, MetadataMaxAge: 200 * time.Millisecond, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "kafka:9092" {
			address = name.Load().(string)
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}})
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	x.until(t, 10)
	for range 2 {
		old := first.LeaderFor("orders", 0)
		id, port, err := first.AddNode(-1, 0)
		if err != nil {
			t.Fatal(err)
		}
		name.Store(net.JoinHostPort("127.0.0.1", portString(port)))
		if err := first.MoveTopicPartition("orders", 0, id); err != nil {
			t.Fatal(err)
		}
		if err := first.RemoveNode(old); err != nil {
			t.Fatal(err)
		}
		end := produce(t, producer(t, []string{name.Load().(string)}), orders(0), 5)
		x.until(t, end)
	}
	name.Store(second.ListenAddrs()[0])
	first.Close()
	a := x.take(t)
	if a.Look == nil || a.Look.End != 20 {
		t.Fatalf("answer %+v, want a look at the other cluster's topic", a)
	}
	x.pos = 0
	x.until(t, 20)
	deadline := time.Now().Add(patience)
	for {
		c.mu.Lock()
		var addrs []string
		for a := range c.brokers {
			addrs = append(addrs, a)
		}
		c.mu.Unlock()
		if slices.Equal(addrs, second.ListenAddrs()) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("brokers %v, want only %v", addrs, second.ListenAddrs())
		}
		time.Sleep(20 * time.Millisecond)
	}
}
