package offsets

import (
	"math"
	"time"
)

// A Backoff says how long a failed offset waits for its next delivery:
// min(Initial × Multiplier^(n-1), Max) before retry n. storm-kafka's rule,
// without its overflow.
type Backoff struct {
	// Initial is the delay before the first retry. 0: at once.
	Initial time.Duration

	// Multiplier is what each further delay grows by; at least 1.
	Multiplier float64

	// Max bounds the delay.
	Max time.Duration
}

// Delay returns the delay before retry n, the first being 1. It saturates at
// Max and is never negative.
func (b Backoff) Delay(n int) time.Duration {
	if b.Initial <= 0 {
		return 0 // whatever n: 0 × +Inf isn't a number
	}
	d := float64(b.Initial) * math.Pow(max(1, b.Multiplier), float64(max(1, n)-1))
	if d < float64(b.Max) {
		return time.Duration(d)
	}
	return max(0, b.Max) // as it is: as a float, the largest Duration overflows
}
