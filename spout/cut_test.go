package spout

import (
	"maps"
	"slices"
	"testing"

	"github.com/kspout/kspout/offsets"
)

// TestTuplesBeforeSeveralCuts: a later cut leaves an earlier, lower one in force.
// The tuple of a delivery that failed before both must not settle the record that
// has come to its offset between them.
func TestTuplesBeforeSeveralCuts(t *testing.T) {
	var log *scriptLog
	m, _, _ := openScripted(t, 6, func(_ *managerOptions, l *scriptLog) { log = l })
	take := func(want ...int64) map[int64]*Tuple {
		t.Helper()
		out := map[int64]*Tuple{}
		for u := range m.emitted(t) {
			out[u.Offset()] = u
		}
		if got := slices.Sorted(maps.Keys(out)); !slices.Equal(got, want) {
			t.Fatalf("emitted %v, want %v", got, want)
		}
		return out
	}
	first := take(0, 1, 2, 3, 4, 5)
	first[4].Fail(nil)
	first[1].Fail(nil)
	log.end = 3
	take(1)
	log.end = 8
	take(3, 4, 5, 6, 7)
	log.end = 6
	take()
	log.end = 9
	take(6, 7, 8)

	if m.ack(first[4]) {
		t.Error("an ack of 4 from before the first cut counted")
	}
	if ok, _ := m.fail(first[5], nil); ok {
		t.Error("a fail of 5 from before the first cut counted")
	}
	if !m.ack(first[1]) {
		t.Error("the late ack of 1, which no cut took, was ignored")
	}
	want := []offsets.Range{{From: 0, To: 1}, {From: 2, To: 9}}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	if got := slices.Collect(m.tracker.PendingRanges()); !slices.Equal(got, want) {
		t.Errorf("pending %v, want %v", got, want)
	}
}
