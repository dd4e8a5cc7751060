package integration

import (
	"context"
	"strings"
	"testing"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spout"
)

// TestRealRecreated deletes a topic under a Spout that holds half of its records
// unacked, and makes it again. These are lost, everything of the new topic comes,
// and acks of old tuples mean nothing to it.
func TestRealRecreated(t *testing.T) {
	s := shared(t)
	topic := fresh("recreated")
	const partitions, old, renewed = 4, 1000, 500
	s.topic(t, topic, partitions, nil)
	s.fill(t, topic, make([]int64, partitions), old)

	var first, second tally
	var kept keeper
	c := s.consume(t, spout.Config{Topics: []string{topic}}, func(_ context.Context, tu *spout.Tuple) {
		switch {
		case kept.closed():
			second.note(tu)
			tu.Ack()
		case tu.Offset()%2 == 0:
			first.note(tu)
			tu.Ack()
		default:
			first.note(tu)
			kept.keep(tu)
		}
	})
	eventually(t, "all of the old topic", func() bool { return first.count() == partitions*old })
	eventually(t, "commits of what is acked", func() bool {
		all, _ := doneCount(s.stored(t, topic, partitions))
		return all == partitions*old/2
	})
	before := s.stored(t, topic, partitions)
	tuples := kept.close()
	if err := s.kafka.DeleteTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	s.topic(t, topic, partitions, nil)
	ends := s.fill(t, topic, make([]int64, partitions), renewed)
	eventually(t, "all of the new topic", func() bool { return second.count() >= partitions*renewed })
	for _, tu := range tuples {
		tu.Ack()
	}
	s.awaitComplete(t, topic, ends)
	c.finish()

	second.exactly(t, make([]int64, partitions), ends)
	if got := c.losses(); len(got) != 1 || got[spout.LostRecreated] != partitions*old/2 {
		t.Errorf("lost %v, want %d %s", got, partitions*old/2, spout.LostRecreated)
	}
	if n := c.recreations(); n != partitions {
		t.Errorf("%d partitions were told as recreated, want %d", n, partitions)
	}
	after := s.stored(t, topic, partitions)
	if err := checkComplete(after, ends); err != nil {
		t.Error(err)
	}
	checkRenewed(t, before, after)
}

// TestRealRecreatedUnderTail does it to a process.
func TestRealRecreatedUnderTail(t *testing.T) {
	s := shared(t)
	topic := fresh("recreated-tail")
	const partitions, old, renewed = 4, 1000, 500
	s.topic(t, topic, partitions, nil)
	s.fill(t, topic, make([]int64, partitions), old)
	tl := s.startTail(t, topic, unlimited, "--commit-interval", "50ms", "--metadata-max-age", "1s")
	tl.await(partitions * old)
	s.awaitComplete(t, topic, []int64{old, old, old, old})
	before := s.stored(t, topic, partitions)

	if err := s.kafka.DeleteTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	s.topic(t, topic, partitions, nil)
	ends := s.fill(t, topic, make([]int64, partitions), renewed)
	tl.await(partitions * (old + renewed))
	s.awaitComplete(t, topic, ends)
	tl.terminate()
	tl.exits(130)

	l := life{before: make([]offsets.Checkpoint, partitions), deliveries: tl.deliveries()[partitions*old:], after: s.stored(t, topic, partitions)}
	if err := l.checkClean(ends); err != nil {
		t.Error(err)
	}
	checkRenewed(t, before, l.after)
	if !strings.Contains(tl.said(), "recreated") {
		t.Errorf("stderr doesn't tell that the topic was recreated:\n%s", tl.said())
	}
}

// checkRenewed checks that the topic ids are others, and known.
func checkRenewed(t *testing.T, before, after []offsets.Checkpoint) {
	t.Helper()
	for p := range after {
		if was, is := before[p].TopicID, after[p].TopicID; is.IsZero() || is == was {
			t.Errorf("partition %d: topic id %v before, %v after", p, was, is)
		}
	}
}
