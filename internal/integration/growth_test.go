package integration

import (
	"strings"
	"testing"

	"github.com/kspout/kspout/offsets"
)

// TestRealGrowth starts a tail of a topic that doesn't exist, at the end. The
// topic is made, and gets more partitions later. A topic that wasn't there and
// partitions that weren't are read from their start all the same.
func TestRealGrowth(t *testing.T) {
	s := shared(t)
	topic := fresh("growth")
	const each = 500
	tl := s.startTail(t, topic, unlimited, "-o", "end", "--metadata-max-age", "500ms", "--commit-interval", "50ms")
	eventually(t, "a word on the missing topic", func() bool { return strings.Contains(tl.said(), topic) })
	s.topic(t, topic, 2, nil)
	ends := s.fill(t, topic, make([]int64, 2), each)
	tl.await(2 * each)

	if err := s.kafka.CreatePartitions(t.Context(), topic, 4); err != nil {
		t.Fatal(err)
	}
	ends = append(ends, s.fillNew(t, topic, 2, 4, each)...)
	tl.await(4 * each)
	s.awaitComplete(t, topic, ends)
	tl.terminate()
	tl.exits(130)
	l := life{before: make([]offsets.Checkpoint, 4), deliveries: tl.deliveries(), after: s.stored(t, topic, 4)}
	if err := l.checkClean(ends); err != nil {
		t.Error(err)
	}
}

// TestRealMissingTopic: with -e a topic that doesn't exist isn't waited for.
func TestRealMissingTopic(t *testing.T) {
	s := shared(t)
	tl := s.startTail(t, "nowhere", unlimited, "-e")
	tl.exits(1)
	if !strings.Contains(tl.said(), "nowhere") {
		t.Errorf("stderr doesn't name the topic:\n%s", tl.said())
	}
}
