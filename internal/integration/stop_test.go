package integration

import (
	"strconv"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
)

// drainTimeout is the default of spout.Config, which tail uses.
const drainTimeout = 5 * time.Second

// TestRealStop ends a tail by SIGTERM while records flow: it stops in time, with
// exit code 130, and all that was acked is stored.
func TestRealStop(t *testing.T) {
	for name, args := range map[string][]string{
		"plain":   nil,
		"workers": {"--workers", "8"},
		"failing": {"--fail-rate", "0.05"},
	} {
		t.Run(name, func(t *testing.T) {
			const partitions, records = 4, 40_000
			s := shared(t)
			topic := fresh("stop-" + name)
			rng := random(t)
			s.topic(t, topic, partitions, nil)
			ends := s.fill(t, topic, make([]int64, partitions), records/partitions)
			held := records/4 + rng.IntN(records/8)
			args := append([]string{"--seed", strconv.Itoa(rng.IntN(1e6)), "--commit-interval", "1h"}, args...)
			tl := s.startTail(t, topic, held, args...)
			tl.await(held)
			tl.hold(unlimited)
			start := time.Now()
			tl.terminate()
			tl.exits(130)
			took := time.Since(start)
			t.Logf("it took %v", took.Round(time.Millisecond))
			if took > drainTimeout+time.Second {
				t.Errorf("it took %v", took)
			}
			l := life{before: make([]offsets.Checkpoint, partitions), deliveries: tl.deliveries(), after: s.stored(t, topic, partitions)}
			if err := l.checkClean(ends); err != nil {
				t.Error(err)
			}
			if done, _ := doneCount(l.after); done == records {
				t.Error("stopped too late: all is done")
			}
		})
	}
}
