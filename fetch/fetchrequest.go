package fetch

import (
	"time"

	"github.com/kspout/kspout/offsets"
)

// Versions of the fetch request that differ for us. 11 is what Kafka 2.4 speaks.
const (
	fetchOldest   = 11
	fetchFlexible = 12 // compact, with the epoch of the last record fetched
	fetchByID     = 13 // topics by id
	fetchBare     = 15 // without the replica id
	fetchNewest   = 17
)

// A fetchPart is one partition in a fetch request.
type fetchPart struct {
	log       *Log
	serial    uint64 // of the log, when the request was made
	partition offsets.Partition
	id        offsets.TopicID
	epoch     int32 // of the leader, as far as known; -1: not
	offset    int64
	lastEpoch int32 // of the record before offset, -1: not known
	maxBytes  int32
}

// A fetchRequest asks one broker for records of several partitions, in their
// order of preference: the first one that has a batch gets one whatever its size.
type fetchRequest struct {
	parts     []fetchPart
	maxWait   time.Duration
	isolation Isolation
}

// call returns the request as a call. It names topics by their ids if all of
// them are known and the broker knows how.
func (q *fetchRequest) call() *call[*fetchResponse] {
	newest := int16(fetchNewest)
	for _, p := range q.parts {
		if p.id.IsZero() {
			newest = fetchByID - 1
		}
	}
	return &call[*fetchResponse]{
		key:      keyFetch,
		speak:    versionRange{fetchOldest, newest},
		flexible: fetchFlexible,
		encode:   q.encode,
		decode:   q.decode,
	}
}

func (q *fetchRequest) encode(w *writer, version int16) {
	if version < fetchBare {
		w.int32(-1) // replica id: a consumer
	}
	w.int32(int32(q.maxWait.Milliseconds()))
	w.int32(1) // min bytes
	total := int64(0)
	for _, p := range q.parts {
		total += int64(p.maxBytes)
	}
	w.int32(int32(min(total, maxResponse)))
	w.int8(q.isolation.wire())
	w.int32(0)  // session id
	w.int32(-1) // session epoch: none
	groups := q.byTopic()
	w.array(len(groups))
	for _, g := range groups {
		if version >= fetchByID {
			w.id(g[0].id)
		} else {
			w.string(g[0].partition.Topic)
		}
		w.array(len(g))
		for _, p := range g {
			w.int32(p.partition.Number)
			w.int32(p.epoch)
			w.int64(p.offset)
			if version >= fetchFlexible {
				w.int32(p.lastEpoch)
			}
			w.int64(-1) // log start offset, a follower's
			w.int32(p.maxBytes)
			w.tags()
		}
		w.tags()
	}
	w.array(0)   // forgotten topics of the session
	w.string("") // rack
	w.tags()
}

// maxResponse bounds what is asked for in one request, in bytes.
const maxResponse = 1 << 30

// byTopic groups neighbours of one topic, so that the order stays. A topic may
// come twice: brokers take that, as long as no partition does.
func (q *fetchRequest) byTopic() [][]fetchPart {
	var groups [][]fetchPart
	start := 0
	for i := range q.parts {
		if i+1 == len(q.parts) || q.parts[i+1].partition.Topic != q.parts[start].partition.Topic {
			groups = append(groups, q.parts[start:i+1])
			start = i + 1
		}
	}
	return groups
}
