package zkserver

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// BenchmarkSet sets a node from many goroutines on one connection.
func BenchmarkSet(b *testing.B) {
	s, err := Start(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, _, err := zk.Connect([]string{s.Addr()}, 10*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Create("/x", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		b.Fatal(err)
	}
	data := make([]byte, 150)
	b.SetParallelism(64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Set("/x", data, -1); err != nil {
				b.Error(err)
			}
		}
	})
}
