package offsets

import "fmt"

// A Range is the half-open span of offsets [From, To).
type Range struct{ From, To int64 }

// Len returns the number of offsets in r, 0 if r is empty.
func (r Range) Len() int64 { return max(0, r.To-r.From) }

// String returns the range as "[3,5)".
func (r Range) String() string { return fmt.Sprintf("[%d,%d)", r.From, r.To) }
