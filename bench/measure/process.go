package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"time"
)

// MaxRun bounds one run of a contender. One that hangs is an error.
const MaxRun = time.Minute

// A Contender reads all records of a job. What it returns must be what the job
// says that it wants; delays are nil but for those that measure latency.
type Contender func(ctx context.Context, job *Run) (seen Tally, delays []int64, err error)

// Process is the main function of a contender's process: it runs the contender
// that the job on standard input names.
func Process(contenders map[string]Contender) error {
	var job Run
	if err := json.NewDecoder(os.Stdin).Decode(&job.Job); err != nil {
		return fmt.Errorf("bench: job: %w", err)
	}
	contender := contenders[job.Contender]
	if contender == nil {
		return fmt.Errorf("bench: no contender %q", job.Contender)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := run(ctx, &job, contender)
	if err != nil {
		return fmt.Errorf("bench: %s: %w", job.Contender, err)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func run(ctx context.Context, job *Run, contender Contender) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxRun, fmt.Errorf("not done after %s", MaxRun))
	defer cancel()
	if job.Profile != "" {
		f, err := os.Create(job.Profile)
		if err != nil {
			return Result{}, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return Result{}, err
		}
		defer pprof.StopCPUProfile()
	}

	runtime.GC()
	defer job.cleanup()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	user, system := processorTime()
	start := time.Now()

	seen, delays, err := contender(ctx, job)

	elapsed := time.Since(start)
	userEnd, systemEnd := processorTime()
	runtime.ReadMemStats(&after)

	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, fmt.Errorf("%w after %d records: %w", err, seen.Records, context.Cause(ctx))
	case err != nil:
		return Result{}, err
	case seen != job.Want:
		return Result{}, fmt.Errorf("saw %+v, there is %+v", seen, job.Want)
	}
	if job.Heap != "" {
		if err := writeAllocs(job.Heap); err != nil {
			return Result{}, err
		}
	}
	return Result{
		Contender:     job.Contender,
		Tally:         seen,
		Seconds:       elapsed.Seconds(),
		UserSeconds:   (userEnd - user).Seconds(),
		SystemSeconds: (systemEnd - system).Seconds(),
		Allocs:        after.Mallocs - before.Mallocs,
		AllocBytes:    after.TotalAlloc - before.TotalAlloc,
		GCs:           after.NumGC - before.NumGC,
		PeakRSS:       peakRSS(),
		Delays:        delays,
	}, nil
}

func writeAllocs(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
