package fetch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kspout/kspout/offsets"
)

func TestTail(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(4, "orders"))
	cl := producer(t, cluster.ListenAddrs())
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	var ps []offsets.Partition
	for n := range int32(4) {
		ps = append(ps, offsets.Partition{Topic: "orders", Number: n})
		produce(t, cl, ps[n], 100)
	}
	looks, errs := c.Looks(t.Context(), ps)
	for i, p := range ps {
		if errs[i] != nil || looks[i].Start != 0 || looks[i].End != 100 || looks[i].Latest != 100 || looks[i].Cut != -1 || looks[i].TopicID.IsZero() {
			t.Fatalf("%v: look %+v, %v", p, looks[i], errs[i])
		}
		x := open(t, c, p, looks[i].TopicID, 0)
		rs := x.until(t, 100)
		if len(rs) != 100 {
			t.Errorf("%v: %d records, want 100", p, len(rs))
		}
		end := produce(t, cl, p, 10)
		if rs := x.until(t, end); len(rs) != 10 || string(rs[9].Value) != "9" {
			t.Errorf("%v: %d records, want 10", p, len(rs))
		}
		if b, epoch := x.log.Leader(); b.Port == 0 || epoch < 0 {
			t.Errorf("%v: leader %v of epoch %d", p, b, epoch)
		}
	}
}

func TestUnknownTopic(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	asked := count(cluster, keyMetadata)
	for _, p := range []offsets.Partition{{Topic: "none"}, {Topic: "orders", Number: 1}} {
		before := asked.Load()
		if _, err := c.Look(t.Context(), p); !errors.Is(err, ErrUnknownPartition) {
			t.Errorf("Look(%v): %v, want ErrUnknownPartition", p, err)
		}
		if n := asked.Load() - before; n < 2 {
			t.Errorf("Look(%v): asked %d times, want twice", p, n)
		}
	}
	topics, err := c.Topics(t.Context(), []string{"none", "orders"})
	if err != nil || len(topics) != 2 || !errors.Is(topics[0].Err, ErrUnknownPartition) || topics[1].Err != nil || len(topics[1].Partitions) != 1 {
		t.Errorf("Topics = %+v, %v", topics, err)
	}
	topics, err = c.Topics(t.Context(), nil)
	if err != nil || len(topics) != 1 || topics[0].Name != "orders" {
		t.Errorf("Topics(nil) = %+v, %v", topics, err)
	}
}

func TestClosedClient(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	c := New(Config{Brokers: cluster.ListenAddrs()})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Topics(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before Run: %v, want the context's error", err)
	}
	stop := run(c)
	if _, err := c.Topics(t.Context(), nil); err != nil {
		t.Error(err)
	}
	stop()
	if _, err := c.Topics(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Run: %v, want ErrClosed", err)
	}
}
