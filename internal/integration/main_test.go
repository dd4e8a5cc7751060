package integration

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kspout/kspout/internal/realservers"
)

// The servers that the tests share: one broker and one ZooKeeper. A test that
// kills or pauses a server starts its own.
var (
	sharedKafka     realservers.SharedKafka
	sharedZooKeeper realservers.SharedZooKeeper
)

// patience bounds each wait for something that has to happen. It is far above
// what any of them takes, so that a busy machine fails no test.
const patience = 90 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range []func() error{sharedKafka.Close, sharedZooKeeper.Close, demo.remove} {
		if err := end(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// servers says what a test runs on.
type servers struct {
	kafka *realservers.Kafka
	zk    *realservers.ZooKeeper
}

// shared returns the servers that the package shares.
func shared(t *testing.T) servers {
	t.Helper()
	realservers.Require(t)
	t.ArtifactDir() // made first, it is removed last: what is kept at the end goes there
	return servers{sharedKafka.Get(t), sharedZooKeeper.Get(t)}
}

// topics counts the topics that tests have named.
var topics atomic.Int64

// fresh returns a name that no topic has had, and so no offset is stored for.
func fresh(name string) string { return fmt.Sprintf("%s-%d", name, topics.Add(1)) }

// topic creates a topic.
func (s servers) topic(t *testing.T, name string, partitions int, configs map[string]string) {
	t.Helper()
	if err := s.kafka.CreateTopic(t.Context(), name, partitions, min(s.kafka.Nodes(), 3), configs); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until ok, and fails the test with what if that takes too long.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("after %v: still waiting for %s", patience, what)
		}
	}
}
