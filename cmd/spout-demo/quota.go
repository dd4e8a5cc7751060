package main

import "sync"

// A recordID names one record.
type recordID struct {
	topic     string
	partition int32
	offset    int64
}

// A quota lets a number of records through, with their retries, and says when
// all of them are done. The zero quota lets all through.
type quota struct {
	want int64  // 0: no bound
	done func() // called once, when that many records are done

	mu   sync.Mutex
	seen int64                 // records that were let through
	open map[recordID]struct{} // of them, those that aren't acked
}

// admit reports whether a delivery is one of those that are wanted.
func (q *quota) admit(l *line) bool {
	if q.want == 0 {
		return true
	}
	id := recordID{l.topic, l.partition, l.offset}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, again := q.open[id]; again {
		return true
	}
	if q.seen == q.want {
		return false
	}
	if q.open == nil {
		q.open = map[recordID]struct{}{}
	}
	q.seen++
	q.open[id] = struct{}{}
	return true
}

// acked takes note of a record that is done.
func (q *quota) acked(l recordID) {
	if q.want == 0 {
		return
	}
	q.mu.Lock()
	delete(q.open, l)
	all := q.seen == q.want && len(q.open) == 0
	q.mu.Unlock()
	if all {
		q.done()
	}
}
