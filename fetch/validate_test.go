package fetch

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// An epochScript is a script whose broker knows leader epochs.
type epochScript struct {
	*script
	end    epochEnd // what is told of every epoch
	epochs []int32  // that were asked for
	last   []int32  // what fetches told, where that changed
	fenced int      // fetches with another leader epoch than the cluster's
}

func epochScripted(t *testing.T) *epochScript {
	s := &epochScript{script: scripted(t, 1, kfake.NumBrokers(2)), end: epochEnd{-1, -1}}
	s.meddle = func(q *kmsg.FetchRequestTopicPartition, r *kmsg.FetchResponseTopicPartition) {
		if n := len(s.last); n == 0 || s.last[n-1] != q.LastFetchedEpoch {
			s.last = append(s.last, q.LastFetchedEpoch)
		}
		if q.CurrentLeaderEpoch != s.cluster.PartitionInfo("orders", 0).Epoch {
			r.ErrorCode, r.RecordBatches = 74, nil // FENCED_LEADER_EPOCH
			s.fenced++
		}
	}
	s.cluster.ControlKey(keyOffsetForEpoch, func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		s.mu.Lock()
		defer s.mu.Unlock()
		q := req.(*kmsg.OffsetForLeaderEpochRequest)
		resp := q.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = q.Topics[0].Topic
		rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
		rp.LeaderEpoch, rp.EndOffset = s.end.epoch, s.end.end
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		s.epochs = append(s.epochs, q.Topics[0].Partitions[0].LeaderEpoch)
		return resp, nil, true
	})
	return s
}

// elect moves the partition to another broker, and the log to what logs and end
// say, in one.
func (s *epochScript) elect(t *testing.T, end epochEnd, logs ...batchtest.Batch) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[0], s.end = logs, end
	if err := s.cluster.MoveTopicPartition("orders", 0, 1-s.cluster.LeaderFor("orders", 0)); err != nil {
		t.Fatal(err)
	}
}

// span returns a batch of records at [from, to) of a leader epoch.
func span(from, to int64, epoch int32) batchtest.Batch {
	b := batchtest.Of(from, make([]string, to-from)...)
	b.LeaderEpoch = epoch
	return b
}

// KIP-320: an unclean election cut the log to 50 under a position of 80, and it
// has grown to 90 since. The cut is told, and what was fetched above it is gone.
func TestUncleanElection(t *testing.T) {
	s := epochScripted(t)
	s.logs[0] = []batchtest.Batch{span(0, 50, 0), span(50, 70, 1), span(70, 80, 1)}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.until(t, 70) // and up to 80 is fetched ahead
	if a := x.againAt(t, 60); a.Records == nil {
		t.Fatalf("answer %+v, want the record", a)
	}
	time.Sleep(200 * time.Millisecond)
	s.elect(t, epochEnd{0, 50}, span(0, 50, 0), span(50, 90, 2))
	for {
		a, ok := x.log.Again(65)
		if ok && a.Look != nil {
			if l := a.Look; l.Cut != 50 || l.OutOfRange {
				t.Fatalf("look %+v, want a cut at 50", l)
			}
			break
		}
		if ok && a.Records != nil && a.Records.Batch().LeaderEpoch() == 2 {
			t.Fatal("a record of the new leader was given before the cut was told")
		}
		select {
		case <-x.woken:
		case <-time.After(patience):
			t.Fatal("no cut was told")
		}
	}
	x.pos = 50
	a := x.take(t)
	if a.Records == nil || a.Records.Batch().LeaderEpoch() != 2 {
		t.Fatalf("answer %+v, want records of epoch 2", a)
	}
	x.until(t, 90)
	x.silent(t, 300*time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.epochs, []int32{1}) || s.fenced > 10 {
		t.Errorf("asked for epochs %v, want 1 once; fenced %d times", s.epochs, s.fenced)
	}
	// Retries tell none; the rest tells that of the record before.
	last := slices.DeleteFunc(s.last[1:], func(e int32) bool { return e < 0 })
	if got := slices.Compact(last); s.last[0] != -1 || !slices.Equal(got, []int32{0, 1, 2}) && !slices.Equal(got, []int32{0, 1, 0, 2}) {
		t.Errorf("fetches told the last epochs %v", s.last)
	}
}

// A clean election loses nothing, and costs one question.
func TestCleanElection(t *testing.T) {
	for name, end := range map[string]epochEnd{
		"the same end": {0, 80}, "a later end": {0, 85},
		"no end, franz-go 1.21.4": {-1, -1}, "no offset": {0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := epochScripted(t)
			s.logs[0] = []batchtest.Batch{span(0, 80, 0)}
			x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
			x.until(t, 80)
			s.elect(t, end, span(0, 80, 0), span(80, 90, 1))
			x.until(t, 90)
			s.mu.Lock()
			defer s.mu.Unlock()
			if !slices.Equal(s.epochs, []int32{0}) {
				t.Errorf("asked for epochs %v, want 0 once", s.epochs)
			}
		})
	}
}

// A broker that says of a fetch that histories diverge is asked where.
func TestDivergingFetch(t *testing.T) {
	s := epochScripted(t)
	s.logs[0] = []batchtest.Batch{span(0, 50, 0), span(50, 80, 1)}
	s.end = epochEnd{0, 50}
	s.meddle = func(q *kmsg.FetchRequestTopicPartition, r *kmsg.FetchResponseTopicPartition) {
		if q.LastFetchedEpoch == 1 {
			r.DivergingEpoch.Epoch, r.DivergingEpoch.EndOffset, r.RecordBatches = 0, 50, nil
		}
	}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.until(t, 80)
	if a := x.take(t); a.Look == nil || a.Look.Cut != 50 {
		t.Fatalf("answer %+v, want a cut at 50", a)
	}
	s.set(func() { s.logs[0] = []batchtest.Batch{span(0, 50, 0), span(50, 90, 2)} })
	x.pos = 50
	x.until(t, 90)
}

// A broker whose epoch lies below that of the last record fetched says out of
// range, at an offset in range. It's asked about the epoch, knows nothing, and is
// asked again, ever less often; nothing is reset.
func TestLastEpochAboveTheBrokers(t *testing.T) {
	s := epochScripted(t)
	produce(t, producer(t, s.cluster.ListenAddrs()), orders(0), 100)
	s.logs[0] = []batchtest.Batch{span(0, 80, 7)}
	behind := true
	s.meddle = func(q *kmsg.FetchRequestTopicPartition, r *kmsg.FetchResponseTopicPartition) {
		if behind && q.LastFetchedEpoch == 7 {
			r.ErrorCode, r.RecordBatches = 1, nil
		}
	}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.until(t, 80)
	before := len(s.requests(0))
	x.silent(t, time.Second)
	if n := len(s.requests(0)) - before; n < 2 || n > 10 {
		t.Errorf("%d requests in 1s, want a few, ever rarer", n)
	}
	s.set(func() {
		behind = false
		s.logs[0] = append(s.logs[0], span(80, 90, 7))
		if !slices.Contains(s.epochs, 7) {
			t.Errorf("asked for epochs %v, want 7", s.epochs)
		}
	})
	x.until(t, 90)
}

// franz-go#1331: metadata without a leader epoch are no truncation. What comes
// after them is compared.
func TestNoEpochInTheMetadata(t *testing.T) {
	b, logs := homed(t, 1)
	l := logs[0]
	b.client.brokers["none:1"] = b
	settle := func(epoch int32) {
		l.settle(&layout{topics: map[string]Topic{"orders": {Name: "orders",
			Partitions: []PartitionInfo{{Leader: offsets.Broker{Host: "none", Port: 1}, LeaderEpoch: epoch}}}}}, time.Now())
	}
	settle(3)
	l.Take(0)
	part, state, _ := l.want(time.Now(), 1<<20, b)
	if state != wanted || l.valid.doubted {
		t.Fatalf("state %d, doubted %t: nothing is known that could be", state, l.valid.doubted)
	}
	l.deliver(part, &fetchAnswer{part: part, segment: segmentOf(t, span(0, 80, 3))})
	settle(-1)
	if _, state, _ := l.want(time.Now(), 1<<20, b); state != wanted || l.valid.doubted || l.next != 80 || l.moved != nil {
		t.Errorf("state %d, doubted %t, next %d; want 80 to be fetched", state, l.valid.doubted, l.next)
	}
	settle(4)
	if _, state, _ := l.want(time.Now(), 1<<20, b); state != full || !l.valid.doubted {
		t.Errorf("state %d, doubted %t; want a comparison first", state, l.valid.doubted)
	}
	l.looked(Look{End: 100, Cut: -1, epoch: 3})
	if !l.valid.doubted {
		t.Error("believed to the leader before")
	}
	l.looked(Look{End: 100, Cut: -1, epoch: 4})
	if _, state, _ := l.want(time.Now(), 1<<20, b); state != wanted {
		t.Errorf("state %d; want 80 to be fetched", state)
	}
}

// At open the ends of what is stored are asked for, in few requests, and the
// lowest cut counts.
func TestLooksSince(t *testing.T) {
	s := epochScripted(t)
	s.end = epochEnd{1, 60}
	c := start(t, s.config())
	for _, tt := range []struct {
		marks []Mark
		want  int64
	}{
		{nil, -1},
		{[]Mark{{60, 1}}, -1},
		{[]Mark{{80, 1}}, 60},
		{[]Mark{{50, 1}, {80, 1}}, 60},
		{[]Mark{{50, 1}, {80, 2}}, 60},
		{[]Mark{{50, 2}, {80, 2}}, 49},
	} {
		looks, errs := c.LooksSince(t.Context(), []offsets.Partition{orders(0)}, [][]Mark{tt.marks})
		if errs[0] != nil || looks[0].Cut != tt.want {
			t.Errorf("%v: cut at %d, %v; want %d", tt.marks, looks[0].Cut, errs[0], tt.want)
		}
	}
	s.elect(t, epochEnd{1, 60})
	x := open(t, c, orders(0), offsets.TopicID{}, 80)
	x.log.Know(Mark{80, 1}, Look{epoch: 0})
	if a := x.take(t); a.Look == nil || a.Look.Cut != 60 {
		t.Errorf("answer %+v, want a cut at 60: a leader was elected after the look", a)
	}
	if m := x.log.marks(); m != nil {
		t.Errorf("after the cut %v is known, want nothing", m)
	}
}
