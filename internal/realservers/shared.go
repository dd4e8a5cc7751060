package realservers

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// SharedKafka is a Kafka cluster that the tests of one package share. It
// starts when the first test asks for it and ends with Close, which belongs
// into TestMain:
//
//	var kafka realservers.SharedKafka
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		kafka.Close()
//		os.Exit(code)
//	}
//
// Safe for concurrent use. A test that kills or pauses nodes of it must bring
// them back, and can't run in parallel with others.
type SharedKafka struct {
	// Options is what to start. It must not change after the first Get.
	Options KafkaOptions

	shared shared[*Kafka]
}

// Get returns the cluster; the first call starts it. Without Java or Maven the
// test is skipped or fails as [Require] says. If the test fails, the last
// lines of the logs are printed and the logs kept.
func (s *SharedKafka) Get(t testing.TB) *Kafka {
	t.Helper()
	return s.shared.get(t, func(ctx context.Context) (*Kafka, *cluster, error) {
		k, err := OpenKafka(ctx, s.Options)
		if err != nil {
			return nil, nil, err
		}
		return k, k.cluster, nil
	})
}

// Close ends the cluster if it was started. Get fails the test after it.
func (s *SharedKafka) Close() error { return s.shared.close() }

// SharedZooKeeper is to ZooKeeper what [SharedKafka] is to Kafka.
type SharedZooKeeper struct {
	// Options is what to start. It must not change after the first Get.
	Options ZooKeeperOptions

	shared shared[*ZooKeeper]
}

// Get returns the servers; see [SharedKafka.Get].
func (s *SharedZooKeeper) Get(t testing.TB) *ZooKeeper {
	t.Helper()
	return s.shared.get(t, func(ctx context.Context) (*ZooKeeper, *cluster, error) {
		z, err := OpenZooKeeper(ctx, s.Options)
		if err != nil {
			return nil, nil, err
		}
		return z, z.cluster, nil
	})
}

// Close ends the servers if they were started. Get fails the test after it.
func (s *SharedZooKeeper) Close() error { return s.shared.close() }

// shared starts something at most once.
type shared[T any] struct {
	once    sync.Once
	value   T
	cluster *cluster
	err     error
}

func (s *shared[T]) get(t testing.TB, open func(context.Context) (T, *cluster, error)) T {
	t.Helper()
	// Not the test's own context: the servers outlive it, and so must their
	// start, which others may be waiting for.
	s.once.Do(func() { s.value, s.cluster, s.err = open(context.Background()) })
	require(t, s.err)
	t.Cleanup(func() { keepLogs(t, s.cluster) })
	return s.value
}

func (s *shared[T]) close() error {
	s.once.Do(func() { s.err = fmt.Errorf("realservers: shared servers are closed") })
	if s.cluster == nil {
		return nil
	}
	s.err = fmt.Errorf("realservers: shared servers are closed")
	return s.cluster.Close()
}
