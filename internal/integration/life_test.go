package integration

import (
	"errors"
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// A life is one run of a consumer, from its start to its end, however that came:
// what ZooKeeper held before, what was delivered, and what ZooKeeper held after.
// Partitions are numbered from 0; nothing stored is the zero Checkpoint. It is
// pure.
type life struct {
	before, after []offsets.Checkpoint
	deliveries    []delivery
}

// valueAt is the value of the record at an offset, of all topics that a life is
// checked on.
func valueAt(partition int32, offset int64) string { return fmt.Sprintf("%d@%d", partition, offset) }

// check checks what has to hold for every life on logs that begin at 0 and end at
// ends:
//
//   - what is delivered is a record of the log, unaltered;
//   - nothing that was stored as done before is delivered;
//   - in one life a record comes again only if its last delivery failed, and its
//     deliveries count from 1;
//   - nothing is stored as done that was neither so before nor acked;
//   - nothing that was stored as done isn't so any more.
func (l life) check(ends []int64) error {
	var f faults
	before, after := doneIn(l.before, ends, &f), doneIn(l.after, ends, &f)
	acked := l.acked(ends, before, &f)
	for p := range ends {
		for o := range ends[p] {
			switch {
			case before[p][o] && !after[p][o]:
				f.add("done before, and not after", "%d@%d", p, o)
			case after[p][o] && !before[p][o] && !acked[p][o]:
				f.add("stored as done without an ack", "%d@%d", p, o)
			}
		}
	}
	return f.err()
}

// checkClean checks a life that ended as it should, which is by no kill: besides
// check, all that was acked is stored.
func (l life) checkClean(ends []int64) error {
	var f faults
	before, after := doneIn(l.before, ends, &f), doneIn(l.after, ends, &f)
	acked := l.acked(ends, before, &faults{})
	for p := range ends {
		for o := range ends[p] {
			if acked[p][o] && !after[p][o] {
				f.add("acked and not stored", "%d@%d", p, o)
			}
		}
	}
	return errors.Join(l.check(ends), f.err())
}

// acked returns what was acked, by partition and offset, and checks the
// deliveries.
func (l life) acked(ends []int64, before [][]bool, f *faults) [][]bool {
	acked := make([][]bool, len(ends))
	last := make([][]int, len(ends)) // attempt of the last delivery
	for p, end := range ends {
		acked[p], last[p] = make([]bool, end), make([]int, end)
	}
	for _, d := range l.deliveries {
		p, o := int(d.Partition), d.Offset
		if p < 0 || p >= len(ends) || o < 0 || o >= ends[p] {
			f.add("delivered, and not in the log", "%v", d)
			continue
		}
		if want := valueAt(d.Partition, o); string(d.Value) != want {
			f.add("altered", "%v is %.40q", d, d.Value)
		}
		if before[p][o] {
			f.add("delivered though it was stored as done", "%v", d)
		}
		if acked[p][o] {
			f.add("delivered again after its ack", "%v", d)
		}
		if d.Attempt != last[p][o]+1 {
			f.add("deliveries miscounted", "%v follows delivery %d", d, last[p][o])
		}
		last[p][o] = d.Attempt
		acked[p][o] = acked[p][o] || !d.Failed
	}
	return acked
}

// checkComplete checks that stored says of every record that it is done.
func checkComplete(stored []offsets.Checkpoint, ends []int64) error {
	var f faults
	for p, end := range ends {
		if c := stored[p]; c.Offset != end || len(c.Acked) > 0 {
			f.add("not all is done", "partition %d is stored as %d, acked %v; its log ends at %d", p, c.Offset, c.Acked, end)
		}
	}
	return f.err()
}

// doneIn spells out what is done according to stored.
func doneIn(stored []offsets.Checkpoint, ends []int64, f *faults) [][]bool {
	done := make([][]bool, len(ends))
	for p, end := range ends {
		done[p] = make([]bool, end)
		for _, r := range append([]offsets.Range{{From: 0, To: stored[p].Offset}}, stored[p].Acked...) {
			if r.To > end {
				f.add("stored beyond the log", "partition %d: %v, its log ends at %d", p, r, end)
			}
			for o := r.From; o < min(r.To, end); o++ {
				done[p][o] = true
			}
		}
	}
	return done
}

// doneCount returns how many records stored says are done, and how many of them
// lie above one that isn't.
func doneCount(stored []offsets.Checkpoint) (all, above int64) {
	for _, c := range stored {
		all += c.Offset
		for _, r := range c.Acked {
			all, above = all+r.Len(), above+r.Len()
		}
	}
	return all, above
}

// examples is how many faults of a kind are told in full.
const examples = 3

// faults gathers what is wrong: a hundred thousand records fail alike.
type faults struct {
	kinds []string // in the order of their first
	count map[string]int
	told  map[string][]string
}

func (f *faults) add(kind, format string, args ...any) {
	if f.count == nil {
		f.count, f.told = map[string]int{}, map[string][]string{}
	}
	if f.count[kind] == 0 {
		f.kinds = append(f.kinds, kind)
	}
	f.count[kind]++
	if len(f.told[kind]) < examples {
		f.told[kind] = append(f.told[kind], fmt.Sprintf(format, args...))
	}
}

func (f *faults) err() error {
	var errs []error
	for _, k := range f.kinds {
		errs = append(errs, fmt.Errorf("%d × %s, as %q", f.count[k], k, f.told[k]))
	}
	return errors.Join(errs...)
}
