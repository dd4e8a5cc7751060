package fetch

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kspout/kspout/offsets"
)

// count counts the requests with this key that a cluster gets.
func count(cluster *kfake.Cluster, key int16) *atomic.Int64 {
	n := new(atomic.Int64)
	cluster.ControlKey(key, func(kmsg.Request) (kmsg.Response, error, bool) {
		n.Add(1)
		return nil, nil, false
	})
	return n
}

// kafka-go#1221: the new leader is read from within a second, without a hot loop,
// and nothing is lost or repeated.
func TestLeaderMoves(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(2, "orders"))
	cl := producer(t, cluster.ListenAddrs())
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	other := open(t, c, orders(1), offsets.TopicID{}, 0)
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	x.until(t, produce(t, cl, orders(0), 10))
	fetches, metadata := count(cluster, keyFetch), count(cluster, keyMetadata)
	for round := range 4 {
		to := (cluster.LeaderFor("orders", 0) + 1) % 3
		if err := cluster.MoveTopicPartition("orders", 0, to); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		end := produce(t, cl, orders(0), 10)
		if rs := x.until(t, end); len(rs) != 10 {
			t.Errorf("round %d: %d records, want 10", round, len(rs))
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("round %d: took %v", round, d)
		}
	}
	if f, m := fetches.Load(), metadata.Load(); f > 60 || m > 60 {
		t.Errorf("%d fetches and %d metadata requests for 4 moves", f, m)
	}
	other.until(t, produce(t, cl, orders(1), 1))
}

// A broker that says not-leader while the metadata names it is asked ever less
// often.
func TestNotLeaderForLong(t *testing.T) {
	s := scripted(t, 1)
	metadata := count(s.cluster, keyMetadata)
	s.code[0] = 6
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.log.Take(0)
	time.Sleep(2 * time.Second)
	if f, m := len(s.requests(0)), metadata.Load(); f < 3 || f > 12 || m > 20 {
		t.Errorf("%d fetches and %d metadata requests in 2s", f, m)
	}
}

// kafka-go#311: without a leader, or with one that isn't in the list of brokers,
// it waits, and dials nothing that isn't an address.
func TestNoLeader(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	cl := producer(t, cluster.ListenAddrs())
	end := produce(t, cl, orders(0), 3)
	var leader atomic.Int32
	leader.Store(-1)
	cluster.ControlKey(keyMetadata, func(req kmsg.Request) (kmsg.Response, error, bool) {
		q := req.(*kmsg.MetadataRequest)
		if leader.Load() == 0 || len(q.Topics) == 0 {
			return nil, nil, false
		}
		cluster.KeepControl()
		resp := q.ResponseKind().(*kmsg.MetadataResponse)
		host, port, _ := net.SplitHostPort(cluster.ListenAddrs()[0])
		b := kmsg.NewMetadataResponseBroker()
		b.Host, b.Port = host, mustPort(port)
		none := kmsg.NewMetadataResponseBroker()
		none.NodeID = 5 // a broker that has no address
		resp.Brokers = []kmsg.MetadataResponseBroker{b, none}
		rt := kmsg.NewMetadataResponseTopic()
		rt.Topic = new("orders")
		rp := kmsg.NewMetadataResponseTopicPartition()
		rp.Leader = leader.Load()
		rt.Partitions = []kmsg.MetadataResponseTopicPartition{rp}
		resp.Topics = []kmsg.MetadataResponseTopic{rt}
		return resp, nil, true
	})
	var mu sync.Mutex
	var dialed []string
	c := start(t, Config{Brokers: cluster.ListenAddrs(), Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		dialed = append(dialed, address)
		mu.Unlock()
		return new(net.Dialer).DialContext(ctx, network, address)
	}})
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	for _, l := range []int32{-1, 5, 77} {
		leader.Store(l)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if _, err := c.Look(ctx, orders(0)); !errors.Is(err, errNoLeader) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("leader %d: Look: %v, want no leader until the deadline", l, err)
		}
		cancel()
		x.silent(t, 100*time.Millisecond)
	}
	leader.Store(0)
	x.until(t, end)
	mu.Lock()
	defer mu.Unlock()
	for _, a := range dialed {
		if strings.HasPrefix(a, ":") || strings.HasSuffix(a, ":0") {
			t.Errorf("dialed %q", a)
		}
	}
}

// kafka-go#891: a topic that was deleted and created again is told as such, and
// goes on at its start.
func TestRecreatedTopic(t *testing.T) {
	for name, opts := range map[string][]kfake.Opt{
		"by id":              nil,
		"by name, fetch v12": {kfake.MaxVersions(kversion.V2_8_0())},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := newCluster(t, append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, "orders")}, opts...)...)
			cl := producer(t, cluster.ListenAddrs())
			c := start(t, Config{Brokers: cluster.ListenAddrs(), MetadataMaxAge: 200 * time.Millisecond})
			before, err := c.Look(t.Context(), orders(0))
			if err != nil {
				t.Fatal(err)
			}
			x := open(t, c, orders(0), before.TopicID, 0)
			x.until(t, produce(t, cl, orders(0), 100))
			deleteTopic(t, cl, "orders")
			createTopic(t, cl, "orders", 1, nil)
			end := produce(t, producer(t, cluster.ListenAddrs()), orders(0), 1)
			a := x.take(t)
			if a.Look == nil || a.Look.TopicID == before.TopicID || a.Look.TopicID.IsZero() || a.Look.OutOfRange || a.Look.Start != 0 || a.Look.End > end {
				t.Fatalf("answer %+v, want a look at a topic created anew", a)
			}
			x.pos = a.Look.Start
			if rs := x.until(t, end); len(rs) != 1 {
				t.Errorf("%d records, want 1", len(rs))
			}
		})
	}
}

// A topic that is deleted ends its partitions, but not at the first broker that
// doesn't know it.
func TestDeletedTopic(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders", "payments"))
	cl := producer(t, cluster.ListenAddrs())
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	other := open(t, c, offsets.Partition{Topic: "payments"}, offsets.TopicID{}, 0)
	x.until(t, produce(t, cl, orders(0), 5))
	deleteTopic(t, cl, "orders")
	began := time.Now()
	err := x.take(t).Err
	if pe, ok := errors.AsType[*PartitionError](err); !ok || !errors.Is(err, ErrUnknownPartition) || pe.Offset != 5 {
		t.Errorf("error %v, want ErrUnknownPartition at 5", err)
	}
	if d := time.Since(began); d < missingTime-time.Second {
		t.Errorf("gave up after %v", d)
	}
	other.until(t, produce(t, cl, other.log.partition, 1))
}

// franz-go#1416 and R1: below the log start the look says where that is.
func TestRetention(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	cl := producer(t, cluster.ListenAddrs())
	produce(t, cl, orders(0), 100)
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	req := kmsg.NewPtrDeleteRecordsRequest()
	rt := kmsg.NewDeleteRecordsRequestTopic()
	rt.Topic = "orders"
	rp := kmsg.NewDeleteRecordsRequestTopicPartition()
	rp.Offset = 40
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	request[*kmsg.DeleteRecordsResponse](t, cl, req)
	x := open(t, c, orders(0), offsets.TopicID{}, 10)
	a := x.take(t)
	if a.Look == nil || !a.Look.OutOfRange || a.Look.Start != 40 || a.Look.End != 100 {
		t.Fatalf("answer %+v, want a look at [40, 100)", a)
	}
	a = x.againAt(t, 20)
	if a.Look == nil || !a.Look.OutOfRange || a.Look.Start != 40 {
		t.Fatalf("again: answer %+v, want a look at [40, 100)", a)
	}
	x.pos = 40
	if rs := x.until(t, 100); len(rs) != 60 {
		t.Errorf("%d records, want 60", len(rs))
	}
	// Above the end, too.
	x.pos = 150
	if a := x.take(t); a.Look == nil || !a.Look.OutOfRange || a.Look.End != 100 {
		t.Fatalf("answer %+v, want a look that ends at 100", a)
	}
}

// kafka-go#619: the end of the log is a number, and what is written right after
// it was looked up is delivered.
func TestStartAtTheEnd(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	cl := producer(t, cluster.ListenAddrs())
	produce(t, cl, orders(0), 10)
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	look, err := c.Look(t.Context(), orders(0))
	if err != nil {
		t.Fatal(err)
	}
	end := produce(t, cl, orders(0), 1)
	x := open(t, c, orders(0), look.TopicID, look.Latest)
	if rs := x.until(t, end); len(rs) != 1 {
		t.Errorf("%d records, want 1", len(rs))
	}
}

// With a transaction open, the last stable offset lies below the end: a position
// between them waits, and nothing is out of range.
func TestOpenTransaction(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	produce(t, producer(t, cluster.ListenAddrs()), orders(0), 10)
	cl := producer(t, cluster.ListenAddrs(), kgo.TransactionalID("t"))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	produce(t, cl, orders(0), 6)
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	look, err := c.Look(t.Context(), orders(0))
	if err != nil || look.Latest != 10 || look.End != 16 {
		t.Fatalf("look %+v, %v; want latest 10, end 16", look, err)
	}
	x := open(t, c, orders(0), look.TopicID, 13)
	x.silent(t, 500*time.Millisecond)
	if err := cl.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	if rs := x.until(t, 17); len(rs) != 3 {
		t.Errorf("%d records, want 3 and the marker passed", len(rs))
	}
	at, err := c.OffsetAt(t.Context(), orders(0), time.Now().Add(time.Hour))
	if err != nil || at != 17 {
		t.Errorf("offset in an hour %d, %v; want the latest, 17", at, err)
	}
	if at, err := c.OffsetAt(t.Context(), orders(0), time.UnixMilli(1)); err != nil || at != 0 {
		t.Errorf("offset in 1970 %d, %v; want 0", at, err)
	}
}
