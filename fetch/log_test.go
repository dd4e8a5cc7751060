package fetch

import (
	"bytes"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// homed returns a broker that serves nothing, and n logs that are read from it.
func homed(t *testing.T, n int) (*broker, []*Log) {
	t.Helper()
	c := New(Config{Brokers: []string{"none:1"}, MaxPartitionBytes: 1000})
	c.run = t.Context()
	b := newBroker(c, "none:1")
	var logs []*Log
	for i := range n {
		l := newLog(c, orders(int32(i)), offsets.TopicID{}, func() {})
		l.place.home = b
		b.logs = append(b.logs, l)
		c.logs[l] = struct{}{}
		logs = append(logs, l)
	}
	return b, logs
}

func segmentOf(t *testing.T, batches ...batchtest.Batch) segment {
	t.Helper()
	raw := batchtest.Join(batches...)
	s, err := readSegment(bytes.NewReader(raw), len(raw), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An answer to a fetch at a former position is thrown away.
func TestStaleAnswer(t *testing.T) {
	b, logs := homed(t, 1)
	l := logs[0]
	l.Take(60)
	stale := b.planFetch(time.Now()).request.parts[0]
	l.Take(50)
	fresh := b.planFetch(time.Now()).request.parts[0]
	l.deliver(stale, &fetchAnswer{part: stale, segment: segmentOf(t, batchtest.Of(60, "a"))})
	if len(l.buf) != 0 || l.next != 50 {
		t.Fatalf("the stale answer was taken: %d batches, next %d", len(l.buf), l.next)
	}
	l.deliver(fresh, &fetchAnswer{part: fresh, segment: segmentOf(t, batchtest.Of(50, "a"))})
	if a, ok := l.Take(50); !ok || a.Records == nil {
		t.Errorf("answer %+v, %t; want the record", a, ok)
	}
}

// A fetch that leaves a partition out for lack of room is held only shortly.
func TestShortWait(t *testing.T) {
	b, logs := homed(t, 2)
	for _, l := range logs {
		l.Take(0)
	}
	p := b.planFetch(time.Now())
	if got := len(p.request.parts); got != 2 || p.request.maxWait != b.client.cfg.MaxWait {
		t.Fatalf("%d partitions for %v, want 2 for %v", got, p.request.maxWait, b.client.cfg.MaxWait)
	}
	for _, part := range p.request.parts {
		var s segment
		if part.log == logs[0] {
			s = segmentOf(t, batchtest.Of(0, string(make([]byte, 800))))
		}
		p.deliver(part, &fetchAnswer{part: part, segment: s})
	}
	p = b.planFetch(time.Now())
	if got := len(p.request.parts); got != 1 || p.request.maxWait != shortWait {
		t.Errorf("%d partitions for %v, want 1 for %v", got, p.request.maxWait, shortWait)
	}
}

// An empty answer to a retry that went in company isn't believed: it goes alone.
func TestRetryGoesAlone(t *testing.T) {
	b, logs := homed(t, 3)
	for _, l := range logs {
		l.Again(5)
	}
	p := b.planRetries(time.Now())
	if len(p.request.parts) != 3 || p.request.maxWait != 0 {
		t.Fatalf("%d partitions for %v, want 3 for 0", len(p.request.parts), p.request.maxWait)
	}
	for _, part := range p.request.parts {
		p.deliver(part, &fetchAnswer{part: part})
	}
	for range logs {
		p = b.planRetries(time.Now())
		if len(p.request.parts) != 1 {
			t.Fatalf("%d partitions, want one alone", len(p.request.parts))
		}
		part := p.request.parts[0]
		if part.log.again.looking {
			t.Error("looked at after an answer in company")
		}
		p.deliver(part, &fetchAnswer{part: part})
		if !part.log.again.looking {
			t.Error("not looked at after an empty answer alone")
		}
	}
	if p = b.planRetries(time.Now()); p.request != nil {
		t.Errorf("%d partitions, want none", len(p.request.parts))
	}
}

// Topics go by id only if all of a request's are known.
func TestFetchByIDOrName(t *testing.T) {
	known := fetchPart{partition: orders(0), id: offsets.TopicID{1}}
	for _, tt := range []struct {
		parts []fetchPart
		want  int16
	}{
		{[]fetchPart{known}, fetchNewest},
		{[]fetchPart{known, {partition: orders(1)}}, fetchByID - 1},
	} {
		if got := (&fetchRequest{parts: tt.parts}).call().speak; got != (versionRange{fetchOldest, tt.want}) {
			t.Errorf("%d partitions: versions %v, want up to %d", len(tt.parts), got, tt.want)
		}
	}
}

// A topic id that was the topic's before isn't taken for a new one: brokers learn
// of a recreated topic at different times.
func TestFormerTopicID(t *testing.T) {
	b, logs := homed(t, 1)
	l := logs[0]
	before, after := offsets.TopicID{1}, offsets.TopicID{2}
	layoutOf := func(id offsets.TopicID, epoch int32) *layout {
		return &layout{topics: map[string]Topic{"orders": {Name: "orders", ID: id,
			Partitions: []PartitionInfo{{Leader: offsets.Broker{Host: "none", Port: 1}, LeaderEpoch: epoch}}}}}
	}
	b.client.brokers["none:1"] = b
	l.id = before
	if !l.settle(layoutOf(before, 7), time.Now()) {
		t.Error("not settled")
	}
	l.settle(layoutOf(after, 0), time.Now())
	l.looked(Look{TopicID: after, End: 3})
	if a, ok := l.Take(5); !ok || a.Look == nil || a.Look.TopicID != after {
		t.Fatalf("answer %+v, %t; want a look at the new topic", a, ok)
	}
	if l.settle(layoutOf(before, 7), time.Now()) {
		t.Error("settled by a broker that still knows the former topic")
	}
	if l.id != after || l.moved != nil || l.looking {
		t.Error("moved back to the former topic")
	}
	if _, epoch := l.Leader(); !l.settle(layoutOf(after, 1), time.Now()) || epoch != 0 {
		t.Errorf("epoch %d, want 0: the new topic's begin anew", epoch)
	}
	if l.settle(layoutOf(after, 0), time.Now()) {
		t.Error("settled by metadata with an epoch below the one known")
	}
}
