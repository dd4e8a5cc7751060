package contender

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/spout"
)

// spoutInCallback is the whole spout with its defaults: it tracks every record,
// calls back, takes the ack in the callback, and commits to ZooKeeper; it ends
// when all is committed.
func spoutInCallback(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	tallies := make([]measure.Tally, len(job.Ends)) // by partition: their calls are serial
	err := runSpout(ctx, job, func(_ context.Context, t *spout.Tuple) {
		tallies[t.Partition()].Add(t.Value())
		t.Ack()
	})
	return measure.Sum(tallies), nil, err
}

func runSpout(ctx context.Context, job *measure.Run, h spout.HandlerFunc) error {
	s, err := newSpout(job, true, h)
	if err != nil {
		return err
	}
	return s.Run(ctx)
}

func newSpout(job *measure.Run, stopAtEnd bool, h spout.HandlerFunc) (*spout.Spout, error) {
	return spout.New(spout.Config{
		Brokers:           job.Brokers,
		ZooKeeper:         job.ZooKeeper,
		ID:                fmt.Sprintf("bench-%x", rand.Uint64()), // nothing is stored for it
		Topics:            []string{job.Topic},
		MaxPartitionBytes: int64(job.FetchBytes), // default: 8 MiB
		StopAtEnd:         stopAtEnd,
	}, h)
}

// spoutShuffled is spoutInCallback, but that four other goroutines ack, in
// shuffled order. Tuples go to them in chunks: what a channel costs is the
// user's affair, and the same whichever library he uses.
func spoutShuffled(ctx context.Context, job *measure.Run) (measure.Tally, []int64, error) {
	const ackers, chunk = 4, 256
	type batch = []*spout.Tuple
	work, free := make(chan batch, ackers), make(chan batch, 4*ackers)
	var acking sync.WaitGroup
	for seed := range uint64(ackers) {
		acking.Go(func() {
			rng := rand.New(rand.NewPCG(1, seed))
			order := rng.Perm(chunk)
			for b := range work {
				for _, i := range order {
					if i < len(b) {
						b[i].Ack()
					}
				}
				clear(b)
				select {
				case free <- b[:0]:
				default:
				}
			}
		})
	}
	defer acking.Wait()
	defer close(work)

	tallies := make([]measure.Tally, len(job.Ends))
	pending := make([]batch, len(job.Ends))
	err := runSpout(ctx, job, func(_ context.Context, t *spout.Tuple) {
		p := t.Partition()
		tallies[p].Add(t.Value())
		pending[p] = append(pending[p], t)
		if len(pending[p]) < chunk && tallies[p].Records < job.Ends[p] {
			return
		}
		work <- pending[p]
		select {
		case pending[p] = <-free:
		default:
			pending[p] = make(batch, 0, chunk)
		}
	})
	return measure.Sum(tallies), nil, err
}
