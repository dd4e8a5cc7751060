package spouttest_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/spouttest"
)

// fetchAll returns the values of the first n records of a topic, by partition.
func fetchAll(t *testing.T, c *spouttest.Cluster, topic string, n int) map[int32][]string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	got := map[int32][]string{}
	for n > 0 {
		fs := client.PollFetches(t.Context())
		if err := fs.Err(); err != nil {
			t.Fatal(err)
		}
		fs.EachRecord(func(r *kgo.Record) {
			got[r.Partition] = append(got[r.Partition], string(r.Value))
			n--
		})
	}
	return got
}

func TestProduceReturnsOffsets(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Brokers: 3, Topics: map[string]int{"orders": 4}})
	for p := range int32(4) {
		got, err := c.Produce(t.Context(), "orders", p, spouttest.Values("a", "b")...)
		if err != nil || len(got) != 2 || got[0] != 0 || got[1] != 1 {
			t.Fatalf("Produce to %d = %v, %v; want offsets 0 and 1", p, got, err)
		}
	}
	got, err := c.Produce(t.Context(), "orders", 2, spouttest.Record{Value: make([]byte, 5<<20)})
	if err != nil || got[0] != 2 {
		t.Fatalf("Produce of 5 MiB = %v, %v; want offset 2", got, err)
	}
	if start, end, err := c.Log("orders", 2); err != nil || start != 0 || end != 3 {
		t.Errorf("Log = %d, %d, %v; want 0, 3", start, end, err)
	}
	all := fetchAll(t, c, "orders", 9)
	if len(all) != 4 || len(all[2]) != 3 || strings.Join(all[1], "") != "ab" {
		t.Errorf("fetched %d records of partition 2 in %d partitions, %v of partition 1", len(all[2]), len(all), all[1])
	}
	for _, bad := range []struct {
		topic     string
		partition int32
	}{{"orders", 4}, {"none", 0}} {
		if _, err := c.Produce(t.Context(), bad.topic, bad.partition, spouttest.Values("x")...); err == nil {
			t.Errorf("Produce to %s/%d = nil, want an error", bad.topic, bad.partition)
		}
	}
}

func TestTopicsChange(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"orders": 1}})
	before := c.Kafka().TopicInfo("orders").TopicID
	if _, err := c.Produce(t.Context(), "orders", 0, spouttest.Values("a", "b", "c")...); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteRecords("orders", 0, 2); err != nil {
		t.Fatal(err)
	}
	if start, end, err := c.Log("orders", 0); err != nil || start != 2 || end != 3 {
		t.Errorf("after DeleteRecords, Log = %d, %d, %v; want 2, 3", start, end, err)
	}
	if err := c.AddPartitions(t.Context(), "orders", 3); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Kafka().PartitionInfos("orders")); n != 3 {
		t.Errorf("after AddPartitions, %d partitions, want 3", n)
	}
	if err := c.RecreateTopic("orders", 2); err != nil {
		t.Fatal(err)
	}
	if after := c.Kafka().TopicInfo("orders").TopicID; after == before {
		t.Errorf("RecreateTopic kept the topic's id")
	}
	if _, end, err := c.Log("orders", 0); err != nil || end != 0 {
		t.Errorf("after RecreateTopic, the log ends at %d, %v; want 0", end, err)
	}
	if err := c.DeleteTopic("orders"); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteTopic("orders"); err == nil {
		t.Errorf("DeleteTopic of no topic = nil, want an error")
	}
}

func TestStoppedBrokerRefusesAndComesBack(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Brokers: 2, Topics: map[string]int{"orders": 2}})
	for p := range int32(2) {
		if err := c.MoveLeader("orders", p, 0); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := net.Dial("tcp", c.Brokers()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := c.StopBroker(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("a connection of the stopped broker: %v, want it cut", err)
	} else if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		t.Errorf("a connection of the stopped broker lives on")
	}
	if x, err := net.Dial("tcp", c.Brokers()[0]); err == nil {
		x.Close()
		t.Errorf("the stopped broker accepts connections")
	}
	for p := range int32(2) {
		if got := c.Leader("orders", p); got != 1 {
			t.Errorf("broker %d leads %d, want 1", got, p)
		}
		if _, err := c.Produce(t.Context(), "orders", p, spouttest.Values("a")...); err != nil {
			t.Errorf("with a broker stopped: %v", err)
		}
	}
	if err := c.StopBroker(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for b := range 2 {
		if err := c.StartBroker(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Produce(t.Context(), "orders", 1, spouttest.Values("b")...); err != nil {
		t.Errorf("after all came back: %v", err)
	}
	if err := c.StopBroker(t.Context(), 2); err == nil {
		t.Errorf("StopBroker of no broker = nil, want an error")
	}
}

func TestOpenRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for name, tt := range map[string]struct {
		cfg  spouttest.Config
		want string
	}{
		"brokers":            {spouttest.Config{Brokers: -1}, "Brokers"},
		"partitions":         {spouttest.Config{Topics: map[string]int{"t": 0}}, "Topics"},
		"port":               {spouttest.Config{KafkaPort: 65535, Brokers: 2}, "KafkaPort"},
		"ZooKeeper's port":   {spouttest.Config{ZooKeeperPort: 70000}, "ZooKeeperPort"},
		"taken":              {spouttest.Config{KafkaPort: port}, "Kafka: listen"},
		"taken of ZooKeeper": {spouttest.Config{ZooKeeperPort: port}, "ZooKeeper: "},
	} {
		c, err := spouttest.Open(t.Context(), tt.cfg)
		if err == nil {
			c.Close()
			t.Errorf("%s: Open = nil, want an error", name)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Open = %v, want it to name %s", name, err, tt.want)
		}
	}
}

func TestClosedClusterSaysSo(t *testing.T) {
	c, err := spouttest.Open(t.Context(), spouttest.Config{Topics: map[string]int{"orders": 1}})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	c.Close()
	for name, err := range map[string]error{
		"CreateTopic": c.CreateTopic("x", 1, nil),
		"DeleteTopic": c.DeleteTopic("orders"),
		"MoveLeader":  c.MoveLeader("orders", 0, 0),
		"StartBroker": c.StartBroker(0),
	} {
		if !errors.Is(err, spouttest.ErrClosed) {
			t.Errorf("%s after Close = %v, want ErrClosed", name, err)
		}
	}
	if err := c.StartZooKeeper(); err == nil {
		t.Errorf("StartZooKeeper after Close = nil")
	}
}

func TestProduceOfOldRecords(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"orders": 1}})
	r := spouttest.Record{Value: []byte("v"), Timestamp: time.UnixMilli(1_000_000_000_000)}
	if _, err := c.Produce(t.Context(), "orders", 0, r); err != nil {
		t.Fatal(err)
	}
	if got := c.Kafka().PartitionInfo("orders", 0).MaxTimestamp; got != 1_000_000_000_000 {
		t.Errorf("the timestamp is %d, want that of the record", got)
	}
}
