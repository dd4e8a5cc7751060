package realservers_test

import (
	"testing"

	"github.com/kspout/kspout/internal/realservers"
)

func TestKafkaSmoke(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{})
	if err := k.CreateTopic(t.Context(), "a", 4, 1, map[string]string{"max.message.bytes": "6000000"}); err != nil {
		t.Fatal(err)
	}
	t.Log(k.Partitions(t.Context(), "a"))
}

func TestZooKeeperSmoke(t *testing.T) {
	z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{})
	t.Log(z.Addrs())
	t.Log(z.Leader(t.Context()))
}
func TestZooKeeperSmoke3(t *testing.T) {
	z := realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{Nodes: 3})
	t.Log(z.Addrs())
	t.Log(z.Leader(t.Context()))
}
func TestKafkaSmoke3(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{Nodes: 3})
	if err := k.CreateTopic(t.Context(), "a", 4, 3, nil); err != nil {
		t.Fatal(err)
	}
	t.Log(k.Partitions(t.Context(), "a"))
}
func TestKafkaSmoke391(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{Version: realservers.KafkaVersion391})
	if err := k.CreateTopic(t.Context(), "a", 4, 1, nil); err != nil {
		t.Fatal(err)
	}
	t.Log(k.Partitions(t.Context(), "a"))
}
