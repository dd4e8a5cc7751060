package fetch

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// endless fills a partition's log with n batches of size bytes, one record each.
func endless(n, size int) []batchtest.Batch {
	value := strings.Repeat("v", size)
	var bs []batchtest.Batch
	for o := range n {
		bs = append(bs, batchtest.Of(int64(o), value))
	}
	return bs
}

func (l *Log) bufferedBytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffered
}

// A partition that nobody takes from keeps what it has within its bound, costs
// the others no time, and nothing of it is fetched twice.
func TestSlowPartition(t *testing.T) {
	s := scripted(t, 2)
	s.logs[0], s.logs[1] = endless(2000, 1000), endless(2000, 1000)
	cfg := s.config()
	cfg.MaxWait = 2 * time.Second
	cfg.MaxPartitionBytes = 20_000
	c := start(t, cfg)
	slow, quick := open(t, c, orders(0), offsets.TopicID{}, 0), open(t, c, orders(1), offsets.TopicID{}, 0)
	slow.log.Take(0)
	began := time.Now()
	quick.until(t, 200)
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("200 batches took %v", d)
	}
	if n := slow.log.bufferedBytes(); n > 20_000+1100 || n < 10_000 {
		t.Errorf("%d bytes are fetched ahead, want some 10,000 to 20,000", n)
	}
	slow.until(t, 200)
	for n := range int32(2) {
		asked := s.requests(n)
		for i := 1; i < len(asked); i++ {
			if asked[i] <= asked[i-1] {
				t.Fatalf("partition %d: asked for %d after %d", n, asked[i], asked[i-1])
			}
		}
	}
}

// A partition that is out of room doesn't wait for the long poll of idle ones once
// it has room again.
func TestRoomOpensAgain(t *testing.T) {
	s := scripted(t, 2)
	s.logs[0] = endless(60, 1000)
	cfg := s.config()
	cfg.MaxWait = 2 * time.Second
	cfg.MaxPartitionBytes = 3000
	c := start(t, cfg)
	idle, x := open(t, c, orders(1), offsets.TopicID{}, 0), open(t, c, orders(0), offsets.TopicID{}, 0)
	x.log.Take(0)
	x.until(t, 2)
	idle.log.Take(0)
	began := time.Now()
	x.until(t, 60)
	if d := time.Since(began); d > 4*time.Second {
		t.Errorf("58 batches of a busy partition beside an idle one took %v", d)
	}
}

// All partitions together stay within the bound for all, each with its share.
func TestBufferedBytes(t *testing.T) {
	const partitions = 10
	s := scripted(t, partitions)
	cfg := s.config()
	cfg.MaxBufferedBytes = 100_000
	for n := range int32(partitions) {
		s.logs[n] = endless(200, 1000)
	}
	c := start(t, cfg)
	var xs []*tail
	for n := range int32(partitions) {
		xs = append(xs, open(t, c, orders(n), offsets.TopicID{}, 0))
	}
	for _, x := range xs {
		x.log.Take(0)
	}
	settled := func() (total int64) {
		for _, x := range xs {
			total += x.log.bufferedBytes()
		}
		return total
	}
	deadline := time.Now().Add(patience)
	for settled() < 50_000 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	if total := settled(); total < 50_000 || total > 100_000+partitions*1100 {
		t.Errorf("%d bytes are fetched ahead, want at most 100,000 and a batch each", total)
	}
	for _, x := range xs {
		x.until(t, 100)
	}
}

// One fetch asks for all partitions with room, and the order rotates.
func TestRotation(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(4, "orders"))
	firsts := make(chan int32, 1000)
	cluster.ControlKey(keyFetch, func(req kmsg.Request) (kmsg.Response, error, bool) {
		if q := req.(*kmsg.FetchRequest); len(q.Topics) == 1 && len(q.Topics[0].Partitions) == 4 {
			select {
			case firsts <- q.Topics[0].Partitions[0].Partition:
			default:
			}
		}
		return nil, nil, false
	})
	c := start(t, Config{Brokers: cluster.ListenAddrs(), MaxWait: 20 * time.Millisecond})
	for n := range int32(4) {
		open(t, c, orders(n), offsets.TopicID{}, 0).log.Take(0)
	}
	seen := make(map[int32]bool)
	for give := time.After(patience); len(seen) < 4; {
		select {
		case n := <-firsts:
			seen[n] = true
		case <-give:
			t.Fatalf("only %v came first in fetches of all four", seen)
		}
	}
}

// Retries come in requests of their own: they wait for no long poll, and several
// partitions' go together.
func TestAgain(t *testing.T) {
	s := scripted(t, 3)
	cfg := s.config()
	cfg.MaxWait = 50 * time.Millisecond
	for n := range int32(3) {
		s.logs[n] = []batchtest.Batch{batchtest.Of(0, "a", "b"), batchtest.Of(2, "c").Spanning(9), batchtest.Of(10, "d")}
	}
	c := start(t, cfg)
	var xs []*tail
	for n := range int32(3) {
		x := open(t, c, orders(n), offsets.TopicID{}, 0)
		x.until(t, 11)
		xs = append(xs, x)
	}
	for _, x := range xs {
		x.log.Again(1)
	}
	for _, x := range xs {
		if got := offsetsOf(drain(x.againAt(t, 1).Records)); got != "1" {
			t.Errorf("again at 1: offsets %q, want 1", got)
		}
		// Another offset replaces what was asked for.
		x.log.Again(0)
		x.log.Again(2)
		if a := x.againAt(t, 10); offsetsOf(drain(a.Records)) != "10" {
			t.Errorf("again at 10: %+v", a)
		}
		// A batch that spans the offset proves that it's gone.
		a := x.againAt(t, 5)
		if got := drain(a.Records); len(got) != 0 || a.Records.End() != 10 {
			t.Errorf("again at 5: %d records, end %d; want none, 10", len(got), a.Records.End())
		}
		x.until(t, 11) // new records aren't touched by it
	}
}

// An answer to a retry that holds no batch proves nothing: the leader is looked
// at, and the next try waits.
func TestAgainWithoutABatch(t *testing.T) {
	s := scripted(t, 2)
	cl := producer(t, s.cluster.ListenAddrs())
	produce(t, cl, orders(0), 8)
	c := start(t, s.config())
	x := open(t, c, orders(0), offsets.TopicID{}, 0)
	began := time.Now()
	for range 3 {
		a := x.againAt(t, 5)
		if a.Look == nil || a.Look.OutOfRange || a.Look.Start != 0 || a.Look.End != 8 {
			t.Fatalf("answer %+v, want a look at [0, 8)", a)
		}
	}
	if d := time.Since(began); d < 70*time.Millisecond {
		t.Errorf("three tries took %v, want delays in between", d)
	}
	s.set(func() { s.logs[0] = []batchtest.Batch{batchtest.Of(5, "a")} })
	if a := x.againAt(t, 5); a.Records == nil {
		t.Errorf("answer %+v, want the record", a)
	}
}

// The consumer decides the position, forward and backward; a cursor left in the
// middle comes again.
func TestPositions(t *testing.T) {
	s := scripted(t, 1)
	s.logs[0] = []batchtest.Batch{batchtest.Of(0, "a", "b", "c", "d"), batchtest.Of(4, "e", "f"), batchtest.Of(6, "g")}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	first := x.take(t).Records
	first.Next()
	x.pos = 1
	if c := x.take(t).Records; c != first {
		t.Error("another cursor for the middle of a batch")
	}
	x.pos = 3 // what lies between was acked before
	if c := x.take(t).Records; c != first || offsetsOf(drain(c)) != "3" {
		t.Error("the cursor doesn't skip")
	}
	x.pos = 6
	if got := offsetsOf(drain(x.take(t).Records)); got != "6" {
		t.Errorf("ahead: offsets %q, want 6", got)
	}
	x.pos = 1
	if got := offsetsOf(x.until(t, 7)); got != "1 2 3 4 5 6" {
		t.Errorf("back: offsets %q, want 1 to 6", got)
	}
}

// A batch pins no more than itself: neither its neighbours nor the response.
func TestBatchesOwnTheirMemory(t *testing.T) {
	raw := batchtest.Join(batchtest.Of(0, "a"), batchtest.Of(1, "b"), batchtest.Of(2, "c"))
	s, err := readSegment(bytes.NewReader(raw), len(raw), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range s.batches {
		if cap(b.bytes) > len(b.bytes)+16 {
			t.Errorf("batch %d of %d bytes has room for %d", i, len(b.bytes), cap(b.bytes))
		}
		clear(s.batches[(i+1)%3].bytes)
		if got := slices.Clone(b.bytes); i == 0 && !bytes.Equal(got, batchtest.Of(0, "a").Bytes()) {
			t.Error("batches share memory")
		}
	}
}
