package zkstate

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/kspout/kspout/offsets"
)

const benchNodes = 1000

// benchClient is connected to a real ZooKeeper that has the nodes /n0 to /n999.
func benchClient(b *testing.B) *Client {
	b.Helper()
	c := real(b).connect(b)
	var reqs []Request
	for i := range benchNodes {
		reqs = append(reqs, Create{Path: fmt.Sprintf("/n%d", i)})
	}
	ask(b, c, reqs...)
	return c
}

func benchData() []byte {
	data, err := checkpoint("orders", 1, 123456).Encode()
	if err != nil {
		panic(err)
	}
	return data
}

func perNode(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchNodes/b.Elapsed().Seconds(), "sets/s")
}

// The library as it is: one call after the other.
func BenchmarkSetPlainSerial(b *testing.B) {
	c := benchClient(b)
	root, data := c.servers.chroot, benchData()
	conn, _, err := zk.Connect(c.servers.hosts, 10*time.Second, zk.WithLogger(libLogger{}), zk.WithLogInfo(false))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	b.ReportAllocs()
	for b.Loop() {
		for i := range benchNodes {
			if _, err := conn.Set(fmt.Sprintf("%s/n%d", root, i), data, -1); err != nil {
				b.Fatal(err)
			}
		}
	}
	perNode(b)
}

func BenchmarkSetSerial(b *testing.B) {
	c, data := benchClient(b), benchData()
	b.ReportAllocs()
	for b.Loop() {
		for i := range benchNodes {
			if err := c.Do(b.Context(), Set{Path: fmt.Sprintf("/n%d", i), Data: data, Version: AnyVersion})[0].Err(); err != nil {
				b.Fatal(err)
			}
		}
	}
	perNode(b)
}

func BenchmarkSetPipelined(b *testing.B) {
	c, data := benchClient(b), benchData()
	b.ReportAllocs()
	for b.Loop() {
		reqs := make([]Request, benchNodes)
		for i := range reqs {
			reqs[i] = Set{Path: fmt.Sprintf("/n%d", i), Data: data, Version: AnyVersion}
		}
		for _, r := range c.Do(b.Context(), reqs...) {
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
	}
	perNode(b)
}

// A flush of 1,000 dirty partitions.
func BenchmarkSave(b *testing.B) {
	s := newStore(b, benchClient(b))
	version := offsets.NoVersion
	saved(b, s, writes(benchNodes, 0, version))
	b.ReportAllocs()
	for b.Loop() {
		version++
		saved(b, s, writes(benchNodes, int64(version), version))
	}
	perNode(b)
}
