package spout

import (
	"errors"
	"strconv"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// A scriptLog is the log of one partition as a scenario's broker commands make
// it. It answers at once and completely.
type scriptLog struct {
	start, end int64
	gone       map[int64]bool
	kind       map[int64]string // null, silent, bad, fan:k
	id         offsets.TopicID
	fetchFails int
	cuts       []int64 // told by the next answers, one each
}

var errScripted = errors.New("scripted network error")

// A scriptSource is the log as one manager sees it.
type scriptSource struct {
	*scriptLog
	id        offsets.TopicID // of the topic that the manager reads
	partition offsets.Partition
	fetchSize int
}

func (l *scriptLog) look() fetch.Look {
	return fetch.Look{TopicID: l.id, Start: l.start, End: l.end, Latest: l.end, Cut: -1}
}

func (s *scriptSource) Leader() (offsets.Broker, int32) {
	return offsets.Broker{Host: "127.0.0.1", Port: 9092}, -1
}

func (s *scriptSource) Take(from int64) (fetch.Answer, bool) {
	ans, _ := s.answer(from)
	return ans, true
}

func (s *scriptSource) Again(at int64) (fetch.Answer, bool) {
	ans, fetched := s.answer(at)
	if fetched && ans.Records == nil && ans.Look == nil {
		l := s.look()
		ans.Look = &l
	}
	return ans, true
}

// answer answers a fetch; fetched is false if it failed.
func (s *scriptSource) answer(from int64) (ans fetch.Answer, fetched bool) {
	ans = fetch.Answer{Start: -1, End: -1}
	l := s.look()
	switch {
	case s.fetchFails > 0:
		s.fetchFails--
		ans.Err = errScripted
		return ans, false
	case len(s.cuts) > 0:
		l.Cut, s.cuts = s.cuts[0], s.cuts[1:]
		ans.Look = &l
		return ans, true
	case s.id != l.TopicID:
		s.id = l.TopicID
		ans.Look = &l
		return ans, true
	case from < s.start || from > s.end:
		l.OutOfRange = true
		ans.Look = &l
		return ans, true
	}
	ans.Start, ans.End = s.start, s.end
	b, n := batchtest.Batch{Base: from, LeaderEpoch: 0}, 0
	next := from
	for ; next < s.end; next++ {
		if s.gone[next] {
			continue
		}
		if n == s.fetchSize {
			break
		}
		b.Records = append(b.Records, s.record(next, from))
		n++
	}
	if n == 0 {
		return ans, true
	}
	c, err := fetch.NewCursor(b.Spanning(next-1).Bytes(), from, s.partition)
	if err != nil {
		panic(err)
	}
	ans.Records = c
	return ans, true
}

// record returns a record whose value says what it yields: see scriptScheme.
func (s *scriptSource) record(o, base int64) batchtest.Record {
	r := batchtest.Record{Delta: int32(o - base), Value: []byte("v")}
	if k := s.kind[o]; k == "null" {
		r.Value = nil
	} else if k != "" {
		r.Value = []byte(k)
	}
	return r
}

// scriptScheme yields what the record's value says.
func scriptScheme(r *Record, emit func(any)) error {
	switch v := string(r.Value); {
	case v == "silent":
		return nil
	case v == "bad":
		return errors.New("scripted bad record")
	case len(v) > 4 && v[:4] == "fan:":
		k, err := strconv.Atoi(v[4:])
		if err != nil {
			return err
		}
		for i := range k {
			emit(i)
		}
		return nil
	}
	emit(nil)
	return nil
}
