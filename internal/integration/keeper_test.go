package integration

import (
	"sync"

	"github.com/kspout/kspout/spout"
)

// A keeper holds tuples that are neither acked nor failed, until it is closed.
type keeper struct {
	mu     sync.Mutex
	tuples []*spout.Tuple
	shut   bool
}

func (k *keeper) keep(t *spout.Tuple) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tuples = append(k.tuples, t)
}

func (k *keeper) closed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shut
}

// close returns what was kept.
func (k *keeper) close() []*spout.Tuple {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.shut = true
	return k.tuples
}
