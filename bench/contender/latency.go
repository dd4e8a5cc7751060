package contender

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/spout"
)

// A stopwatch takes the time from produce to callback: the first eight bytes of
// a value are when it was produced, in Unix nanoseconds.
type stopwatch struct {
	seen   measure.Tally
	delays []int64
}

func (s *stopwatch) add(value []byte) {
	s.delays = append(s.delays, time.Now().UnixNano()-int64(binary.BigEndian.Uint64(value)))
	s.seen.Add(value)
}

// spoutLatency is spoutInCallback on a topic that is being written.
func spoutLatency(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := stopwatch{delays: make([]int64, 0, job.Records())}
	s, err := newSpout(job, false, func(_ context.Context, t *spout.Tuple) {
		w.add(t.Value())
		t.Ack()
		if w.seen.Records == job.Records() {
			stop()
		}
	})
	if err == nil {
		err = s.Run(ctx)
	}
	return w.seen, w.delays, err
}

// franzGoLatency is franzGo on a topic that is being written.
func franzGoLatency(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	w := stopwatch{delays: make([]int64, 0, job.Records())}
	err := pollFranz(ctx, job, func(r *kgo.Record) { w.add(r.Value) })
	return w.seen, w.delays, err
}
