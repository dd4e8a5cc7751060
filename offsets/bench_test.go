package offsets

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/btree"
)

// A window keeps the pending offsets of one partition.
type window interface {
	// fill makes the offsets of [from, to) pending.
	fill(from, to int64)

	// run emits the offsets from at on, one for each of acks, acks that one, and
	// asks for the lowest pending offset each time. It returns the sum of them.
	run(at int64, acks []int64) int64
}

// contenders are compared by the benchmarks of this file. The first one is what
// the others are measured by.
var contenders = []struct {
	name  string
	empty func() window
}{
	{"btree", func() window { return treeWindow{btree.NewOrderedG[int64](32)} }},
	{"set", func() window { return new(setWindow) }},
	{"tracker", func() window { return trackerWindow{NewTracker(Policy{MaxBehind: -1}, 0, 0)} }},
}

// A treeWindow is a plain B-tree of offsets.
type treeWindow struct{ *btree.BTreeG[int64] }

func (w treeWindow) fill(from, to int64) {
	for o := from; o < to; o++ {
		w.ReplaceOrInsert(o)
	}
}

func (w treeWindow) run(at int64, acks []int64) (sum int64) {
	for i, ack := range acks {
		w.ReplaceOrInsert(at + int64(i))
		w.Delete(ack)
		low, _ := w.Min()
		sum += low
	}
	return sum
}

type setWindow struct{ Set }

func (w *setWindow) fill(from, to int64) { w.AddRange(from, to) }

func (w *setWindow) run(at int64, acks []int64) (sum int64) {
	for i, ack := range acks {
		w.Add(at + int64(i))
		w.Remove(ack)
		low, _ := w.Min()
		sum += low
	}
	return sum
}

// A trackerWindow takes, acks and asks for the committed offset one by one.
type trackerWindow struct{ *Tracker }

func (w trackerWindow) fill(from, to int64) { w.Take(from, to, -1) }

func (w trackerWindow) run(at int64, acks []int64) (sum int64) {
	for i, ack := range acks {
		o := at + int64(i)
		w.Take(o, o+1, -1)
		w.Ack(ack)
		sum += w.Committed()
	}
	return sum
}

// A workload is a window that slides along a dense log: one ack for each record
// emitted.
type workload struct {
	size  int64 // pending offsets, without the stuck one
	stuck bool  // offset 0 is pending for ever

	// order is the order in which each block of size offsets is acked, while the
	// next block is emitted; nil for the order of the log.
	order []int32

	at int64 // next offset to emit
}

func newWorkload(size int64, stuck, random bool) *workload {
	l := &workload{size: size, stuck: stuck, at: 1 + size}
	if random {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, i := range rng.Perm(int(size)) {
			l.order = append(l.order, int32(i))
		}
	}
	return l
}

// start returns a window as it is when l begins.
func (l *workload) start(empty func() window) window {
	w := empty()
	if l.stuck {
		w.fill(0, 1)
	}
	w.fill(1, 1+l.size)
	return w
}

// next fills acks for the records from at on.
func (l *workload) next(acks []int64) (at int64) {
	at = l.at
	l.at += int64(len(acks))
	for i := range acks {
		o := at + int64(i) - l.size
		if l.order != nil {
			block := (o - 1) / l.size * l.size
			o = 1 + block + int64(l.order[o-1-block])
		}
		acks[i] = o
	}
	return at
}

const batch = 4096 // records

// BenchmarkWindow runs all contenders on the same work, in turn, batch by batch,
// so that what else the machine does hits all of them. It reports of each
// contender the median time per record, the allocations per record once the
// window has been slid twice its size, and the bytes of heap per pending offset;
// and how many times faster than the plain B-tree it is.
func BenchmarkWindow(b *testing.B) {
	for _, random := range []bool{false, true} {
		acks := map[bool]string{false: "in-order", true: "random"}[random]
		for _, size := range []int64{100, 1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("acks=%s/pending=%d", acks, size), func(b *testing.B) {
				benchmarkWindow(b, size, false, random)
			})
		}
		b.Run(fmt.Sprintf("acks=%s/pending=1000000-stuck", acks), func(b *testing.B) {
			benchmarkWindow(b, 1_000_000, true, random)
		})
	}
}

func benchmarkWindow(b *testing.B, size int64, stuck, random bool) {
	load := newWorkload(size, stuck, random)
	allocs, bytes := make([]float64, len(contenders)), make([]float64, len(contenders))
	for i, c := range contenders {
		allocs[i], bytes[i] = measureMemory(c.empty, size, stuck, random)
	}
	var windows []window
	for _, c := range contenders {
		windows = append(windows, load.start(c.empty))
	}
	took := make([][]time.Duration, len(contenders))
	acks := make([]int64, batch)
	for b.Loop() {
		at := load.next(acks)
		var sums []int64
		for i, w := range windows {
			start := time.Now()
			sum := w.run(at, acks)
			took[i] = append(took[i], time.Since(start))
			sums = append(sums, sum)
		}
		if len(slices.Compact(sums)) > 1 {
			b.Fatalf("the contenders disagree: sums of the lowest pending %v", sums)
		}
	}
	b.ReportMetric(0, "ns/op") // of all contenders together
	var reference float64
	for i, c := range contenders {
		slices.Sort(took[i])
		perRecord := float64(took[i][len(took[i])/2].Nanoseconds()) / batch
		if i == 0 {
			reference = perRecord
		} else {
			b.ReportMetric(reference/perRecord, c.name+"-x-faster")
		}
		b.ReportMetric(perRecord, c.name+"-ns/record")
		b.ReportMetric(allocs[i], c.name+"-allocs/record")
		b.ReportMetric(bytes[i], c.name+"-B/pending")
	}
}

// measureMemory slides windows of the given kind and returns the allocations
// per record, and the bytes of heap that each pending offset takes at the end.
func measureMemory(empty func() window, size int64, stuck, random bool) (allocs, bytes float64) {
	var before, middle, after runtime.MemStats
	copies := max(1, 200_000/int(size)) // many, so that other allocations don't count
	windows := make([]window, copies)
	loads := make([]*workload, copies)
	loads[0] = newWorkload(size, stuck, random)
	for i := range loads {
		l := *loads[0]
		loads[i] = &l
	}
	acks := make([]int64, batch)
	slide := func() (records int64) {
		for i, w := range windows {
			for n := int64(0); n < 2*size; n += batch {
				w.run(loads[i].next(acks), acks)
				records += batch
			}
		}
		return records
	}

	runtime.GC()
	runtime.GC() // what the first one found to have finalizers
	runtime.ReadMemStats(&before)
	for i := range windows {
		windows[i] = loads[i].start(empty)
	}
	slide()
	runtime.ReadMemStats(&middle)
	records := slide()
	runtime.ReadMemStats(&after)
	allocs = float64(after.Mallocs-middle.Mallocs) / float64(records)
	runtime.GC()
	runtime.ReadMemStats(&after)
	bytes = float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / float64(int64(copies)*size)
	runtime.KeepAlive(windows)
	runtime.KeepAlive(loads)
	return allocs, bytes
}

// TestSetMemory holds the set to its word: at most one byte for each pending
// offset of a dense log.
func TestSetMemory(t *testing.T) {
	empty := func() window { return new(setWindow) }
	for _, size := range []int64{1_000, 10_000, 100_000} {
		allocs, bytes := measureMemory(empty, size, false, false)
		t.Logf("%d pending: %.3f bytes each, %.4f allocations per record", size, bytes, allocs)
		if bytes > 1 {
			t.Errorf("%d pending: %.3f bytes each, want at most 1", size, bytes)
		}
		if allocs > 0.001 {
			t.Errorf("%d pending: %.4f allocations per record, want none", size, allocs)
		}
	}
}
