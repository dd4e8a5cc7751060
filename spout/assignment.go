package spout

import (
	"fmt"
	"slices"

	"github.com/kspout/kspout/offsets"
)

// An Assignment says which partitions a process reads. The zero Assignment is
// all of them. Nothing keeps two processes from reading the same one, but only
// one of them can store its offset: the other one's partition stops with
// [ErrFenced].
type Assignment struct {
	index, of int     // of > 0: those with number mod of == index
	numbers   []int32 // not nil: those
	err       error
}

// Static assigns to process index of n (from 0) the partitions whose number
// modulo n is index, of every topic: storm-kafka's static assignment. New
// partitions don't move others.
func Static(index, n int) Assignment {
	a := Assignment{index: index, of: n}
	if n < 1 || index < 0 || index >= n {
		a.err = fmt.Errorf("Static(%d, %d): want an index of at least 0 and below the number of processes", index, n)
	}
	return a
}

// Partitions assigns the partitions with these numbers, of every topic. One that
// doesn't exist is an error of [Spout.Run].
func Partitions(numbers ...int32) Assignment {
	a := Assignment{numbers: slices.Clone(numbers)}
	if len(numbers) == 0 {
		a.err = fmt.Errorf("Partitions(): want at least one number")
	}
	for _, n := range numbers {
		if n < 0 {
			a.err = fmt.Errorf("Partitions: %d isn't a partition number", n)
		}
	}
	return a
}

// owns reports whether p is assigned.
func (a Assignment) owns(p offsets.Partition) bool {
	switch {
	case a.numbers != nil:
		return slices.Contains(a.numbers, p.Number)
	case a.of > 0:
		return int(p.Number)%a.of == a.index
	}
	return true
}
