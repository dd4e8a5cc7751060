package contender

import (
	"errors"
	"sync"

	"github.com/kspout/kspout/bench/measure"
)

// eachPartition runs read for each partition of a job, in a goroutine and on a
// tally of its own.
func eachPartition(job *measure.Run, read func(number int32, end int64, seen *measure.Tally) error) (measure.Tally, []int64, error) {
	tallies := make([]measure.Tally, len(job.Ends))
	errs := make([]error, len(job.Ends))
	var all sync.WaitGroup
	for i, end := range job.Ends {
		all.Go(func() { errs[i] = read(int32(i), end, &tallies[i]) })
	}
	all.Wait()
	return measure.Sum(tallies), nil, errors.Join(errs...)
}
