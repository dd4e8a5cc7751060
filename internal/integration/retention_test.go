package integration

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/spout"
)

// TestRealRetentionUnderStored deletes records below and above a stored offset
// while nobody reads: those above it are lost, to the record, and it goes on at
// the log start.
func TestRealRetentionUnderStored(t *testing.T) {
	s := shared(t)
	topic := fresh("retention-stored")
	const partitions, first, start = 2, 1000, 1700
	s.topic(t, topic, partitions, nil)
	ends := s.fill(t, topic, make([]int64, partitions), first)
	s.startTail(t, topic, unlimited, "-e").exits(0)
	s.awaitComplete(t, topic, ends)

	ends = s.fill(t, topic, ends, first)
	if err := s.kafka.DeleteRecords(t.Context(), topic, 1, start); err != nil {
		t.Fatal(err)
	}
	var got tally
	c := s.consume(t, spout.Config{Topics: []string{topic}, StopAtEnd: true}, func(_ context.Context, tu *spout.Tuple) {
		got.note(tu)
		tu.Ack()
	})
	c.ends()
	got.exactly(t, []int64{first, start}, ends)
	if lost := c.losses(); len(lost) != 1 || lost[spout.LostRetention] != start-first {
		t.Errorf("lost %v, want %d %s", lost, start-first, spout.LostRetention)
	}
	if err := checkComplete(s.stored(t, topic, partitions), ends); err != nil {
		t.Error(err)
	}
}

// TestRealRetentionUnderTail does it under a process that has stopped reading,
// for its output takes nothing. What it has in its hands it may still ack.
func TestRealRetentionUnderTail(t *testing.T) {
	s := shared(t)
	// 30 MB: more than is fetched ahead.
	topic := fresh("retention-tail")
	const records, held = 30_000, 1000
	s.topic(t, topic, 1, map[string]string{"segment.bytes": "1048576"})
	pad := strings.Repeat("x", 1000)
	ends := s.fillWith(t, topic, []int64{0}, records, func(p int32, o int64) string { return valueAt(p, o) + pad },
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	tl := s.startTail(t, topic, held, "-e", "--commit-interval", "50ms")
	tl.await(held)
	const start = records - 10
	if err := s.kafka.DeleteRecords(t.Context(), topic, 0, start); err != nil {
		t.Fatal(err)
	}
	tl.hold(unlimited)
	tl.exits(0)
	if err := checkComplete(s.stored(t, topic, 1), ends); err != nil {
		t.Error(err)
	}
	ds := tl.deliveries()
	if !slices.IsSortedFunc(ds, func(a, b delivery) int { return int(a.Offset - b.Offset) }) {
		t.Error("deliveries are out of order though none failed")
	}
	var tail int
	for _, d := range ds {
		if d.Offset >= start {
			tail++
		}
	}
	if tail != records-start {
		t.Errorf("%d deliveries from the log start on, want %d", tail, records-start)
	}
	if len(ds) >= records {
		t.Errorf("%d deliveries: nothing was lost, the test shows nothing", len(ds))
	}
}

// TestRealRetentionWhileRunning deletes records under a Spout that has taken only
// some. What was taken may still be acked; what failed, and what was never taken,
// is lost, to the record.
func TestRealRetentionWhileRunning(t *testing.T) {
	s := shared(t)
	topic := fresh("retention-running")
	const records, pending, start, piece = 1000, 100, 600, 50
	s.topic(t, topic, 1, nil)
	ends := []int64{0}
	for range records / piece {
		ends = s.fill(t, topic, ends, piece) // a batch: little is fetched ahead
	}
	var before, after tally
	var kept keeper
	c := s.consume(t, spout.Config{Topics: []string{topic}, MaxPending: pending, MaxPartitionBytes: 4 << 10, StopAtEnd: true}, func(_ context.Context, tu *spout.Tuple) {
		if kept.closed() {
			after.note(tu)
			tu.Ack()
			return
		}
		before.note(tu)
		kept.keep(tu)
	})
	eventually(t, "a full window", func() bool { return before.count() == pending })
	if err := s.kafka.DeleteRecords(t.Context(), topic, 0, start); err != nil {
		t.Fatal(err)
	}
	for i, tu := range kept.close() {
		if i%2 == 0 {
			tu.Ack()
		} else {
			tu.Fail(nil) // and can't be fetched again
		}
	}
	c.ends()
	before.exactly(t, []int64{0}, []int64{pending})
	// What was fetched before the deletion and not taken may still come: how much
	// is lost follows from how much came.
	lost := c.losses()
	if want := int64(records - pending/2 - after.count()); len(lost) != 1 || lost[spout.LostRetention] != want {
		t.Errorf("lost %v, want %d %s: %d of %d acked before, %d after", lost, want, spout.LostRetention, pending/2, records, after.count())
	}
	if after.count() == records-pending {
		t.Error("all was fetched ahead, the test shows nothing")
	}
	for o := int64(start); o < records; o++ {
		if n := after.of(0, o); n != 1 {
			t.Errorf("offset %d, which still exists, was delivered %d times", o, n)
		}
	}
	if err := checkComplete(s.stored(t, topic, 1), ends); err != nil {
		t.Error(err)
	}
}
