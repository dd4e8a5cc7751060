package fetch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/internal/realservers"
	"github.com/kspout/kspout/offsets"
)

// realTime bounds what a test waits for a real broker to do.
const realTime = 60 * time.Second

// newTopic makes a topic on k and returns its first partition and what the client
// says of it.
func newTopic(t *testing.T, k *realservers.Kafka, name string, configs map[string]string) offsets.Partition {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), realTime)
	defer cancel()
	if err := k.CreateTopic(ctx, name, 1, 1, configs); err != nil {
		t.Fatal(err)
	}
	return offsets.Partition{Topic: name}
}

func TestRealKafka(t *testing.T) {
	realservers.Require(t)
	k := realservers.StartKafka(t, realservers.KafkaOptions{})
	c := start(t, Config{Brokers: k.Brokers(), MetadataMaxAge: 500 * time.Millisecond})

	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run("codec "+name, func(t *testing.T) {
			p := newTopic(t, k, "codec-"+name, nil)
			cl := producer(t, k.Brokers(), kgo.ProducerBatchCompression(codec))
			end := produce(t, cl, p, 1000)
			if rs := open(t, c, p, offsets.TopicID{}, 0).until(t, end); len(rs) != 1000 || string(rs[999].Value) != "999" {
				t.Errorf("%d records, want 1000", len(rs))
			}
		})
		// As Kafka's own producer writes it: snappy in xerial's framing.
		t.Run("java "+name, func(t *testing.T) {
			p := newTopic(t, k, "java-"+name, nil)
			ctx, cancel := context.WithTimeout(t.Context(), realTime)
			defer cancel()
			var lines strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&lines, "line %d of some text that repeats itself\n", i)
			}
			if out, err := k.RunToolWithInput(ctx, lines.String(), realservers.ConsoleProducer,
				"--bootstrap-server", k.Brokers()[0], "--topic", p.Topic, "--compression-codec", name); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			rs := open(t, c, p, offsets.TopicID{}, 0).until(t, 2000)
			if len(rs) != 2000 || string(rs[1999].Value) != "line 1999 of some text that repeats itself" {
				t.Errorf("%d records, want 2000", len(rs))
			}
		})
	}

	t.Run("transactions", func(t *testing.T) {
		p := newTopic(t, k, "transactions", nil)
		a, b := producer(t, k.Brokers(), kgo.TransactionalID("a")), producer(t, k.Brokers(), kgo.TransactionalID("b"))
		txn := func(cl *kgo.Client, n int, end func()) {
			t.Helper()
			if err := cl.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			produce(t, cl, p, n)
			end()
		}
		finish := func(cl *kgo.Client, commit kgo.TransactionEndTry) func() {
			return func() {
				if err := cl.EndTransaction(t.Context(), commit); err != nil {
					t.Fatal(err)
				}
			}
		}
		txn(a, 3, finish(a, kgo.TryCommit)) // 0-2, marker 3
		txn(a, 2, func() {                  // 4-5, aborted at 9
			txn(b, 3, finish(b, kgo.TryCommit)) // 6-8
			finish(a, kgo.TryAbort)()
		})
		txn(b, 1, finish(b, kgo.TryAbort))
		txn(a, 1, finish(a, kgo.TryCommit))
		look, err := c.Look(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		x := open(t, c, p, look.TopicID, 0)
		if got := offsetsOf(x.until(t, look.End)); got != "0 1 2 6 7 8 13" {
			t.Errorf("offsets %q up to %d, want 0 1 2 6 7 8 13", got, look.End)
		}
		// An open one holds the last stable offset back.
		stable := look.End
		txn(b, 2, func() {
			if look, err := c.Look(t.Context(), p); err != nil || look.Latest != stable || look.End != stable+2 {
				t.Errorf("look %+v, %v; want latest %d, end %d", look, err, stable, stable+2)
			}
			x.silent(t, time.Second)
		})
		finish(b, kgo.TryCommit)()
		x.until(t, stable+3)
	})

	t.Run("log append time", func(t *testing.T) {
		p := newTopic(t, k, "stamped", map[string]string{"message.timestamp.type": "LogAppendTime"})
		cl := producer(t, k.Brokers())
		old := time.UnixMilli(1000)
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: p.Topic, Timestamp: old}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if r := open(t, c, p, offsets.TopicID{}, 0).until(t, 1)[0]; time.Since(r.Timestamp) > time.Hour {
			t.Errorf("timestamp %v, want the broker's", r.Timestamp)
		}
	})

	t.Run("deleted records", func(t *testing.T) {
		p := newTopic(t, k, "retention", nil)
		end := produce(t, producer(t, k.Brokers()), p, 100)
		if err := k.DeleteRecords(t.Context(), p.Topic, 0, 40); err != nil {
			t.Fatal(err)
		}
		x := open(t, c, p, offsets.TopicID{}, 10)
		if a := x.take(t); a.Look == nil || !a.Look.OutOfRange || a.Look.Start != 40 || a.Look.End != end {
			t.Fatalf("answer %+v, want a look at [40, %d)", a, end)
		}
		if a := x.againAt(t, 39); a.Look == nil || !a.Look.OutOfRange {
			t.Fatalf("again: answer %+v, want a look", a)
		}
		if a := x.againAt(t, 40); a.Records == nil {
			t.Fatalf("again at 40: answer %+v, want the record", a)
		}
		x.pos = 40
		if rs := x.until(t, end); len(rs) != 60 {
			t.Errorf("%d records, want 60", len(rs))
		}
	})

	t.Run("recreated topic", func(t *testing.T) {
		p := newTopic(t, k, "recreated", nil)
		x := open(t, c, p, offsets.TopicID{}, 0)
		x.until(t, produce(t, producer(t, k.Brokers()), p, 100))
		if err := k.DeleteTopic(t.Context(), p.Topic); err != nil {
			t.Fatal(err)
		}
		newTopic(t, k, p.Topic, nil)
		end := produce(t, producer(t, k.Brokers()), p, 1)
		a := x.take(t)
		if a.Look == nil || a.Look.TopicID.IsZero() || a.Look.OutOfRange || a.Look.Start != 0 {
			t.Fatalf("answer %+v, want a look at a topic created anew", a)
		}
		x.pos = 0
		if rs := x.until(t, end); len(rs) != 1 {
			t.Errorf("%d records, want 1", len(rs))
		}
	})

	t.Run("large and empty values", func(t *testing.T) {
		p := newTopic(t, k, "sizes", map[string]string{"max.message.bytes": "8000000"})
		cl := producer(t, k.Brokers(), kgo.ProducerBatchMaxBytes(7<<20))
		for _, size := range []int{0, 5_000_000, 0, 5_000_000, 1} {
			if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: p.Topic, Value: make([]byte, size)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		rs := open(t, c, p, offsets.TopicID{}, 0).until(t, 5)
		if len(rs) != 5 || len(rs[1].Value) != 5_000_000 || rs[0].Value == nil {
			t.Errorf("%d records, want 5", len(rs))
		}
	})
}

// The leader is killed, and comes back: nothing is lost or repeated.
func TestRealLeaderKilled(t *testing.T) {
	realservers.Require(t)
	k := realservers.StartKafka(t, realservers.KafkaOptions{Nodes: 3})
	ctx, cancel := context.WithTimeout(t.Context(), 3*realTime)
	defer cancel()
	if err := k.CreateTopic(ctx, "orders", 1, 3, map[string]string{"min.insync.replicas": "2"}); err != nil {
		t.Fatal(err)
	}
	if err := k.AwaitInSync(ctx, "orders"); err != nil {
		t.Fatal(err)
	}
	c := start(t, Config{Brokers: k.Brokers()})
	cl := producer(t, k.Brokers())
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	x.until(t, produce(t, cl, orders(0), 100))
	leader, epoch := x.log.Leader()
	for i := range k.Nodes() {
		if n := k.Node(i); n.Addr() == hostPort(leader) {
			if err := n.Kill(); err != nil {
				t.Fatal(err)
			}
			defer n.Start(ctx)
		}
	}
	produced := make(chan int64, 1)
	go func() {
		rs := make([]*kgo.Record, 100)
		for i := range rs {
			rs[i] = &kgo.Record{Topic: "orders", Value: fmt.Append(nil, i)}
		}
		if err := cl.ProduceSync(ctx, rs...).FirstErr(); err != nil {
			t.Error(err)
		}
		produced <- rs[99].Offset + 1
	}()
	end := <-produced
	if rs := x.until(t, end); len(rs) != 100 {
		t.Errorf("%d records, want 100", len(rs))
	}
	if after, e := x.log.Leader(); after == leader || e <= epoch {
		t.Errorf("leader %v of epoch %d, was %v of %d", after, e, leader, epoch)
	}
}
