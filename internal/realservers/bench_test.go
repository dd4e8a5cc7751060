package realservers_test

import (
	"io"
	"testing"

	"github.com/kspout/kspout/internal/realservers"
)

// BenchmarkStart measures the time from nothing to a served request. The first
// download is outside of it.
func BenchmarkStart(b *testing.B) {
	kafka := func(opts realservers.KafkaOptions) func(b *testing.B) {
		return func(b *testing.B) {
			warm(b, func() (io.Closer, error) { return realservers.OpenKafka(b.Context(), opts) })
			for b.Loop() {
				k, err := realservers.OpenKafka(b.Context(), opts)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				k.Close()
				b.StartTimer()
			}
		}
	}
	b.Run("kafka/nodes=1", kafka(realservers.KafkaOptions{}))
	b.Run("kafka/nodes=3", kafka(realservers.KafkaOptions{Nodes: 3}))
	b.Run("kafka391/nodes=1", kafka(realservers.KafkaOptions{Version: realservers.KafkaVersion391}))
	zookeeper := func(nodes int) func(b *testing.B) {
		return func(b *testing.B) {
			opts := realservers.ZooKeeperOptions{Nodes: nodes}
			warm(b, func() (io.Closer, error) { return realservers.OpenZooKeeper(b.Context(), opts) })
			for b.Loop() {
				z, err := realservers.OpenZooKeeper(b.Context(), opts)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				z.Close()
				b.StartTimer()
			}
		}
	}
	b.Run("zookeeper/nodes=1", zookeeper(1))
	b.Run("zookeeper/nodes=3", zookeeper(3))
}

// warm opens and closes once: it fetches, and makes what is made once.
func warm(b *testing.B, open func() (io.Closer, error)) {
	realservers.Require(b)
	c, err := open()
	if err != nil {
		b.Fatal(err)
	}
	c.Close()
}

// BenchmarkRestart measures the time from SIGKILL to a served request.
func BenchmarkRestart(b *testing.B) {
	restart := func(b *testing.B, n *realservers.Node) {
		for b.Loop() {
			if err := n.Kill(); err != nil {
				b.Fatal(err)
			}
			if err := n.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("kafka", func(b *testing.B) {
		restart(b, realservers.StartKafka(b, realservers.KafkaOptions{}).Node(0))
	})
	b.Run("zookeeper", func(b *testing.B) {
		restart(b, realservers.StartZooKeeper(b, realservers.ZooKeeperOptions{}).Node(0))
	})
}
