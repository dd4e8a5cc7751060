package fetch

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/offsets"
)

// patience bounds what a test waits for.
const patience = 10 * time.Second

// newCluster starts a Kafka in the process that ends with the test.
func newCluster(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// start runs a client of these brokers until the test ends.
func start(t testing.TB, cfg Config) *Client {
	t.Helper()
	if cfg.MaxWait == 0 {
		cfg.MaxWait = 100 * time.Millisecond
	}
	cfg.Logger = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.InfoLevel)
	c := New(cfg)
	stop := run(c)
	t.Cleanup(stop)
	return c
}

// run runs c; stop ends that and waits for it.
func run(c *Client) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// A tail consumes one partition as a spout does.
type tail struct {
	log   *Log
	woken chan struct{}
	pos   int64
}

func open(t testing.TB, c *Client, p offsets.Partition, id offsets.TopicID, from int64) *tail {
	t.Helper()
	x := &tail{woken: make(chan struct{}, 1), pos: from}
	x.log = c.Open(p, id, func() { kick(x.woken) })
	t.Cleanup(x.log.Close)
	return x
}

// bare reports whether a brings nothing but marks.
func (a Answer) bare() bool { return a.Records == nil && a.Look == nil && a.Err == nil }

// silent fails the test if an answer other than marks comes within d.
func (x *tail) silent(t testing.TB, d time.Duration) {
	t.Helper()
	for deadline := time.After(d); ; {
		if a, ok := x.log.Take(x.pos); ok && !a.bare() {
			t.Fatalf("%v at %d: answer %+v, want none", x.log.partition, x.pos, a)
		}
		select {
		case <-x.woken:
		case <-deadline:
			return
		}
	}
}

// wait asks until there is an answer.
func (x *tail) wait(t testing.TB, ask func() (Answer, bool)) Answer {
	t.Helper()
	give := time.After(patience)
	for {
		if a, ok := ask(); ok && !a.bare() {
			return a
		}
		select {
		case <-x.woken:
		case <-give:
			t.Fatalf("%v: no answer at %d in %v", x.log.partition, x.pos, patience)
		}
	}
}

func (x *tail) take(t testing.TB) Answer {
	t.Helper()
	return x.wait(t, func() (Answer, bool) { return x.log.Take(x.pos) })
}

func (x *tail) againAt(t testing.TB, at int64) Answer {
	t.Helper()
	return x.wait(t, func() (Answer, bool) { return x.log.Again(at) })
}

// until takes records until the position is end, which is exactly reached.
func (x *tail) until(t testing.TB, end int64) []Record {
	t.Helper()
	var rs []Record
	for x.pos < end {
		a := x.take(t)
		if a.Records == nil {
			t.Fatalf("%v at %d: answer %+v, want records", x.log.partition, x.pos, a)
		}
		got := drain(a.Records)
		if err := a.Records.Err(); err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			if r.Offset < x.pos {
				t.Fatalf("%v: record %d below the position %d", x.log.partition, r.Offset, x.pos)
			}
			rs = append(rs, r)
		}
		x.pos = a.Records.End()
	}
	if x.pos != end {
		t.Fatalf("%v: position %d, want %d", x.log.partition, x.pos, end)
	}
	return rs
}

// producer returns a client to write with.
func producer(t testing.TB, brokers []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(brokers...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// produce writes n records, "0" and so on, and returns the offset behind them.
func produce(t testing.TB, cl *kgo.Client, p offsets.Partition, n int) int64 {
	t.Helper()
	var rs []*kgo.Record
	for i := range n {
		rs = append(rs, &kgo.Record{Topic: p.Topic, Partition: p.Number, Value: fmt.Append(nil, i)})
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := cl.ProduceSync(ctx, rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return rs[n-1].Offset + 1
}

// request makes any request of Kafka's.
func request[R kmsg.Response](t testing.TB, cl *kgo.Client, req kmsg.Request) R {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	resp, err := cl.Request(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.(R)
}

func deleteTopic(t testing.TB, cl *kgo.Client, topic string) {
	t.Helper()
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TopicNames = []string{topic}
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = new(topic)
	req.Topics = append(req.Topics, rt)
	if code := request[*kmsg.DeleteTopicsResponse](t, cl, req).Topics[0].ErrorCode; code != 0 {
		t.Fatalf("delete %s: error %d", topic, code)
	}
}

func createTopic(t testing.TB, cl *kgo.Client, topic string, partitions int32, configs map[string]string) {
	t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = topic, partitions, 1
	for k, v := range configs {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = k, new(v)
		rt.Configs = append(rt.Configs, c)
	}
	req.Topics = append(req.Topics, rt)
	give := time.Now().Add(patience)
	for {
		code := request[*kmsg.CreateTopicsResponse](t, cl, req).Topics[0].ErrorCode
		if code == 0 {
			return
		}
		if time.Now().After(give) {
			t.Fatalf("create %s: error %d", topic, code)
		}
		time.Sleep(50 * time.Millisecond) // the broker is still deleting it
	}
}

func mustPort(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		panic(err)
	}
	return int32(n)
}

func portString(n int) string { return strconv.Itoa(n) }
