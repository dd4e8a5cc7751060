package integration

import (
	"sync"
	"testing"

	"github.com/kspout/kspout/spout"
)

// A tally counts what a handler was given, by partition and offset.
type tally struct {
	mu    sync.Mutex
	seen  map[int32]map[int64]int
	total int
}

// note counts a delivery.
func (c *tally) note(t *spout.Tuple) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[int32]map[int64]int{}
	}
	if c.seen[t.Partition()] == nil {
		c.seen[t.Partition()] = map[int64]int{}
	}
	c.seen[t.Partition()][t.Offset()]++
	c.total++
}

func (c *tally) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// of returns how often an offset was delivered.
func (c *tally) of(partition int32, offset int64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[partition][offset]
}

// exactly checks that each offset in [from[p], to[p]) of partition p was delivered
// once, and nothing else.
func (c *tally) exactly(t *testing.T, from, to []int64) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var f faults
	var want int
	for p := range to {
		want += int(to[p] - from[p])
		for o := from[p]; o < to[p]; o++ {
			if n := c.seen[int32(p)][o]; n != 1 {
				f.add("not delivered once", "%d@%d: %d times", p, o, n)
			}
		}
	}
	if c.total != want {
		f.add("deliveries in all", "%d, want %d", c.total, want)
	}
	if err := f.err(); err != nil {
		t.Error(err)
	}
}
