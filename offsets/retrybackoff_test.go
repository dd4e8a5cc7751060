package offsets

import (
	"math"
	"testing"
	"time"
)

// TestBackoffDelay: storm-kafka's rule (STORM-495, STORM-643), which saturates
// instead of overflowing.
func TestBackoffDelay(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name string
		b    Backoff
		n    int
		want time.Duration
	}{
		{"first", Backoff{100 * ms, 2, time.Minute}, 1, 100 * ms},
		{"second", Backoff{100 * ms, 2, time.Minute}, 2, 200 * ms},
		{"fourth", Backoff{100 * ms, 2, time.Minute}, 4, 800 * ms},
		{"a broken multiplier", Backoff{100 * ms, 1.5, time.Minute}, 3, 225 * ms},
		{"at the maximum", Backoff{100 * ms, 2, 400 * ms}, 3, 400 * ms},
		{"above the maximum", Backoff{100 * ms, 2, 400 * ms}, 4, 400 * ms},
		{"the first one above it", Backoff{time.Hour, 2, ms}, 1, ms},
		{"constant", Backoff{5 * ms, 1, time.Minute}, 1 << 30, 5 * ms},
		{"none", Backoff{0, 2, time.Minute}, 9, 0},
		{"none, for ever", Backoff{0, 2, time.Minute}, math.MaxInt, 0},
		{"past what a Duration holds", Backoff{time.Hour, 10, math.MaxInt64}, 60, math.MaxInt64},
		{"past what a float holds", Backoff{time.Hour, 10, time.Minute}, math.MaxInt, time.Minute},
		{"a multiplier below 1", Backoff{ms, 0.1, time.Minute}, 5, ms},
		{"no retry yet", Backoff{ms, 2, time.Minute}, 0, ms},
		{"the zero value", Backoff{}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.Delay(tt.n); got != tt.want {
				t.Errorf("%+v.Delay(%d) = %v, want %v", tt.b, tt.n, got, tt.want)
			}
		})
	}
}
