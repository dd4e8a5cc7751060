package fetch

import (
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/offsets"
)

// A fetchResponse is what a broker answered to a fetchRequest.
type fetchResponse struct {
	throttle time.Duration // to be waited for before the next request
	answers  []fetchAnswer
}

// A fetchAnswer is that for one partition.
type fetchAnswer struct {
	part      fetchPart
	code      kafka.Error // 0: none
	high      int64       // high watermark, -1: not told
	start     int64       // log start, -1: not told
	throttled bool        // so an empty segment says nothing
	diverging bool        // the leader's history isn't the one that the request told
	segment   segment
}

// decode reads the response off the wire, batches into memory of their own.
// Partitions that weren't asked for are passed over.
func (q *fetchRequest) decode(r *reader, version int16) (*fetchResponse, error) {
	resp := &fetchResponse{throttle: time.Duration(r.int32()) * time.Millisecond}
	if code := r.int16(); code != 0 {
		return nil, fmt.Errorf("fetch: broker says: %w", kafka.Error(code))
	}
	r.int32() // session id
	asked := q.index(version)
	for range r.array() {
		var topic any
		if version >= fetchByID {
			topic = offsets.TopicID(r.id())
		} else {
			topic = r.string()
		}
		for range r.array() {
			number := r.int32()
			part, ok := asked[partKey{topic, number}]
			a, err := q.decodePart(r, ok)
			if err != nil {
				return nil, err
			}
			a.throttled = resp.throttle > 0
			if a.part = part; ok {
				resp.answers = append(resp.answers, a)
			}
			if r.bad {
				return nil, r.fault("malformed fetch answer")
			}
		}
		r.tags()
	}
	r.tags()
	return resp, nil
}

// A partKey names a partition as responses do, by topic name or id.
type partKey struct {
	topic  any
	number int32
}

func (q *fetchRequest) index(version int16) map[partKey]fetchPart {
	asked := make(map[partKey]fetchPart, len(q.parts))
	for _, p := range q.parts {
		if version >= fetchByID {
			asked[partKey{p.id, p.partition.Number}] = p
		} else {
			asked[partKey{p.partition.Topic, p.partition.Number}] = p
		}
	}
	return asked
}

// decodePart reads what follows the partition's number.
func (q *fetchRequest) decodePart(r *reader, keep bool) (a fetchAnswer, err error) {
	a.code = kafka.Error(r.int16())
	a.high = r.int64()
	r.int64() // last stable offset: it bounds what the broker sends
	a.start = r.int64()
	var aborted []abortedTxn
	for range r.array() {
		t := abortedTxn{producer: r.int64(), first: r.int64()}
		r.tags()
		if r.bad {
			break
		}
		aborted = append(aborted, t)
	}
	r.int32() // preferred read replica
	size := r.size(func() int { return int(r.int32()) })
	if size > r.remaining() {
		r.bad = true
	}
	if r.bad {
		return a, r.fault("malformed fetch answer")
	}
	if size > 0 {
		if !keep {
			r.skip(size)
		} else {
			var list aborter
			if q.isolation == ReadCommitted {
				list = newAborter(aborted)
			}
			r.left -= size
			if a.segment, err = readSegment(r.src, size, list); err != nil {
				return a, err
			}
		}
	}
	a.diverging = r.diverging()
	return a, nil
}

// diverging reads the tagged fields of a partition, of which 0 tells where the
// leader's history leaves the one that the request told. It is told of one epoch
// only; who asks for all of it needs just the hint.
func (r *reader) diverging() (told bool) {
	r.eachTag(func(tag uint32, size int) int {
		if tag != 0 || size < 4+8 {
			return size
		}
		epoch, end := r.int32(), r.int64()
		told = epoch >= 0 && end >= 0
		return size - 4 - 8
	})
	return told
}
