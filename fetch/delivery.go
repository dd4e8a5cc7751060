package fetch

import (
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/offsets"
)

// A wantState says whether a log is to be in the next fetch.
type wantState int8

const (
	unwanted wantState = iota // nothing to be fetched for a good while
	wanted
	later // at a time that is told
	full  // not now, but perhaps any moment
)

// want returns what to ask broker b for. Room, once used up, opens again at half
// the share, so that requests stay large.
func (l *Log) want(now time.Time, share int64, b *broker) (fetchPart, wantState, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed || l.place.home != b || l.fail != nil || l.inflight:
		return fetchPart{}, unwanted, now
	case l.due.After(now):
		return fetchPart{}, later, l.due
	case l.next < 0 || l.beyond || l.looking || l.valid.doubted || l.look != nil || l.moved != nil || l.buffered > share/2:
		return fetchPart{}, full, now
	}
	l.serial++
	l.inflight = true
	part := l.part(l.next, l.serial)
	part.lastEpoch = l.valid.lineage.at(l.next - 1)
	part.maxBytes = clampBytes(max(share-l.buffered, int64(l.minBytes)))
	return part, wanted, now
}

// part returns a request for offset. Under mu.
func (l *Log) part(offset int64, serial uint64) fetchPart {
	return fetchPart{log: l, serial: serial, partition: l.partition, id: l.id, epoch: l.place.epoch, offset: offset, lastEpoch: -1}
}

func clampBytes(n int64) int32 { return int32(min(n, maxResponse)) }

// deliver takes the answer to a fetch, nil if there was none.
func (l *Log) deliver(part fetchPart, a *fetchAnswer) {
	l.mu.Lock()
	if part.serial != l.serial {
		l.mu.Unlock()
		return
	}
	l.inflight = false
	if a == nil {
		l.mu.Unlock()
		return
	}
	var todo todo
	switch code := a.code; {
	case code == 0 && a.diverging:
		l.diverged(&todo)
	case code == 0:
		l.hear(a, &todo)
		todo.wake = l.extend(a.segment) || todo.wake
	case code == kafka.OffsetOutOfRange && len(l.buf) > 0:
		l.beyond = true
	case code == kafka.OffsetOutOfRange:
		l.looking, todo.look = true, true
	case fatal(code):
		l.fail, todo.wake = l.broken(l.next, brokerError(int16(code))), true
	default:
		l.delay()
		todo.refresh = true
	}
	l.mu.Unlock()
	todo.do(l)
}

// A todo is what follows from an answer, once mu is free.
type todo struct{ wake, look, refresh, fetch, retry bool }

func (t todo) do(l *Log) {
	if t.look {
		l.client.looker.ask(l)
	}
	if t.refresh {
		l.client.refresh.ask()
	}
	if t.wake {
		l.wake()
	}
	if t.fetch || t.retry {
		l.mu.Lock()
		home := l.place.home
		l.mu.Unlock()
		if home != nil {
			kick(home.fetchKick)
			kick(home.retryKick)
		}
	}
}

// extend appends what was fetched at next, and reports whether that is
// something. Under mu.
func (l *Log) extend(s segment) bool {
	l.failures = 0
	if len(s.batches) == 0 {
		if s.cut > maxResponse {
			l.fail = l.broken(l.next, fmt.Errorf("%w: it has %d bytes", ErrTooLarge, s.cut))
			return true
		}
		l.minBytes = max(l.minBytes, int32(s.cut))
		return false
	}
	l.minBytes = 0
	some := false
	for _, raw := range s.batches {
		if raw.last < l.next {
			continue
		}
		l.buf = append(l.buf, raw)
		l.buffered += int64(len(raw.bytes))
		if some = true; raw.last == lastUnknown {
			break // it will be found broken before anything behind it is wanted
		}
		l.valid.lineage.note(l.next, raw.last+1, raw.epoch())
		l.next = raw.last + 1
	}
	return some
}

// broken returns err as that of the partition at offset.
func (l *Log) broken(offset int64, err error) *PartitionError {
	return &PartitionError{l.partition, max(offset, 0), err}
}

// looked takes the look that l asked for. A fetch that was out of range at an
// offset in range is made again: the broker was behind, or a leader ahead.
func (l *Log) looked(look Look) {
	l.mu.Lock()
	var todo todo
	if !look.TopicID.IsZero() && !l.id.IsZero() && look.TopicID != l.id {
		l.client.cfg.Logger.Warn().Stringer("partition", l.partition).Stringer("was", l.id).Stringer("is", look.TopicID).Msg("topic was created anew")
		l.former = append(l.former, l.id)
		l.id = look.TopicID
		l.reset(-1)
		l.again = retry{at: -1, serial: l.again.serial + 1}
		l.logStart, l.high, l.news = -1, -1, false
		l.moved, todo.wake = &look, true
		l.disown()
	} else {
		l.validated(look, &todo)
	}
	if l.looking {
		l.looking = false
		if look.holds(l.next) {
			l.delay()
			todo.fetch = true
		} else {
			l.look, todo.wake = look.outOfRange(true), true
		}
	}
	l.again.looked(look, &todo)
	l.mu.Unlock()
	todo.do(l)
}

// behind reports whether id was the topic's before it was created anew.
func (l *Log) behind(id offsets.TopicID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.former, id)
}

// holds reports whether a fetch at offset is in the log's range.
func (k Look) holds(offset int64) bool { return k.Start <= offset && offset <= k.End }

// outOfRange returns a copy that says whether a fetch was answered so.
func (k Look) outOfRange(v bool) *Look {
	k.OutOfRange = v
	return &k
}
