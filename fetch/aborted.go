package fetch

import "slices"

// An abortedTxn is an entry of the list of aborted transactions in a fetch
// answer: from the offset first on, up to its marker, the producer's records
// weren't committed.
type abortedTxn struct{ producer, first int64 }

// An aborter tells which batches of one answer belong to aborted transactions.
// It is shown the batches in their order. Nil: none does.
type aborter map[int64][]int64 // first offsets by producer, ascending

// newAborter returns the aborter of an answer with this list. The order of the
// list means nothing: some brokers send a producer's last transaction first.
func newAborter(list []abortedTxn) aborter {
	if len(list) == 0 {
		return nil
	}
	a := make(aborter, len(list))
	for _, t := range list {
		a[t.producer] = append(a[t.producer], t.first)
	}
	for _, firsts := range a {
		slices.Sort(firsts)
	}
	return a
}

// aborts reports whether the batch raw, of header h, belongs to an aborted
// transaction. An abort marker ends its producer's earliest one.
func (a aborter) aborts(h header, raw []byte) bool {
	if !h.attributes.transactional() {
		return false
	}
	firsts := a[h.producer]
	if len(firsts) == 0 || h.base < firsts[0] {
		return false
	}
	if !h.attributes.control() {
		return true
	}
	if isAbortMarker(h, raw) {
		a[h.producer] = firsts[1:]
	}
	return false
}

// isAbortMarker reports whether the first record of a control batch says that a
// transaction was aborted: its key is a version and a type of two bytes each,
// type 0. Brokers don't compress markers.
func isAbortMarker(h header, raw []byte) bool {
	if h.count < 1 || h.attributes.codec() != codecNone {
		return false
	}
	body := raw[headerSize:]
	size, i := varint32(body, 0)
	if i < 0 || size < 1 || int(size) > len(body)-i {
		return false
	}
	end := i + int(size)
	if _, ok := checkRecord(body, i+1, end); !ok {
		return false
	}
	key := (&Batch{body: body}).Key(int32(i + 1))
	return len(key) >= 4 && key[2] == 0 && key[3] == 0
}
