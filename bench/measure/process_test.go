package measure

import (
	"context"
	"errors"
	"testing"
)

// A contender that misses a record, or sees another value, has no result.
func TestRunChecksWhatWasSeen(t *testing.T) {
	var want Tally
	want.Add([]byte("abc"))
	want.Add(nil)
	see := func(values ...string) Contender {
		return func(context.Context, *Run) (seen Tally, _ []int64, _ error) {
			for _, v := range values {
				seen.Add([]byte(v))
			}
			return seen, nil, nil
		}
	}
	tests := []struct {
		name string
		see  Contender
		ok   bool
	}{
		{name: "all", see: see("abc", ""), ok: true},
		{name: "one missing", see: see("abc")},
		{name: "one twice", see: see("abc", "", "")},
		{name: "another length", see: see("abc", "x")},
		{name: "another last byte", see: see("abd", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleaned := false
			job := &Run{Job: Job{Want: want}}
			job.Cleanup(func() { cleaned = true })
			r, err := run(t.Context(), job, tt.see)
			if (err == nil) != tt.ok {
				t.Errorf("error %v, want ok = %t", err, tt.ok)
			}
			if tt.ok && (r.Tally != want || r.Seconds <= 0 || r.PeakRSS <= 0) {
				t.Errorf("result %+v, want what was seen, a time and a peak", r)
			}
			if !cleaned {
				t.Error("Cleanup's function wasn't called")
			}
		})
	}
}

func TestRunTellsTheContendersError(t *testing.T) {
	broken := errors.New("broken")
	_, err := run(t.Context(), new(Run), func(context.Context, *Run) (Tally, []int64, error) { return Tally{}, nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
