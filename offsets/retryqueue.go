package offsets

import (
	"container/heap"
	"time"
)

// retryQueue orders failed offsets by the time at which they are due. Entries
// are never removed from the middle: one is void unless its due time is still
// that of its offset, which the Tracker knows.
type retryQueue []retryEntry

type retryEntry struct {
	due    time.Time
	offset int64
}

func (q retryQueue) Len() int           { return len(q) }
func (q retryQueue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q retryQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *retryQueue) Push(x any)        { *q = append(*q, x.(retryEntry)) }
func (q *retryQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

func (q *retryQueue) add(o int64, due time.Time) { heap.Push(q, retryEntry{due, o}) }
func (q *retryQueue) drop() retryEntry           { return heap.Pop(q).(retryEntry) }
