package spout

import (
	"slices"
	"sync"

	"github.com/kspout/kspout/offsets"
)

// A roster knows the partitions of a run: which are open, and which stopped by an
// error and stay so.
type roster struct {
	mu      sync.Mutex
	open    map[offsets.Partition]*partition
	stopped map[offsets.Partition]error
	atEnd   map[offsets.Partition]bool
	changed chan struct{} // holds a token after a change
}

func (r *roster) init() {
	r.open = map[offsets.Partition]*partition{}
	r.stopped = map[offsets.Partition]error{}
	r.atEnd = map[offsets.Partition]bool{}
	r.changed = make(chan struct{}, 1)
}

// knows reports whether p is open, or stopped for good.
func (r *roster) knows(p offsets.Partition) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[p] != nil || r.stopped[p] != nil
}

func (r *roster) add(p *partition) {
	r.mu.Lock()
	r.open[p.id] = p
	r.mu.Unlock()
}

// remove takes out a partition. With an error it stays out for good.
func (r *roster) remove(id offsets.Partition, err error) {
	r.mu.Lock()
	delete(r.open, id)
	if err != nil {
		r.stopped[id] = err
	}
	r.mu.Unlock()
	r.signal()
}

// ended notes that a partition has got to its end.
func (r *roster) ended(p *partition) {
	r.mu.Lock()
	r.atEnd[p.id] = true
	r.mu.Unlock()
	r.signal()
}

func (r *roster) signal() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// partitions returns the open ones, in the order of their ids.
func (r *roster) partitions() []*partition {
	r.mu.Lock()
	defer r.mu.Unlock()
	ps := make([]*partition, 0, len(r.open))
	for _, p := range r.open {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b *partition) int { return a.id.Compare(b.id) })
	return ps
}

// errors returns why partitions stopped, in the order of their ids.
func (r *roster) errors() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []offsets.Partition
	for id := range r.stopped {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, offsets.Partition.Compare)
	var errs []error
	for _, id := range ids {
		errs = append(errs, r.stopped[id])
	}
	return errs
}

// allAtEnd reports whether every open partition has got to its end.
func (r *roster) allAtEnd() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.open {
		if !r.atEnd[id] {
			return false
		}
	}
	return true
}

// counts returns how many partitions are open, and how many stopped by an error.
func (r *roster) counts() (open, stopped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open), len(r.stopped)
}
