package measure

import (
	"slices"
	"sync"
)

// A Run is one run of a contender: its job, and what is to be done after it.
type Run struct {
	Job

	mu       sync.Mutex
	cleanups []func()
}

// Cleanup has f called when the measuring is over: closing isn't reading. Safe
// for concurrent use.
func (r *Run) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// cleanup calls what Cleanup was given, the last first.
func (r *Run) cleanup() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}
