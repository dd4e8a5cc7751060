package spout

import (
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kspout/kspout/offsets"
)

// logged returns hooks that write a line for each change of state before they
// call those of e.
func logged(e Events, log *zerolog.Logger, crash bool) Events {
	if !crash {
		e = e.contained(log)
	}
	l := e
	losses := lossLog{log: log, since: map[Cause]*lossSum{}}
	l.Opened = func(o Opening) {
		log.Info().Stringer("partition", o.Partition).Int64("position", o.Position).Bool("stored", o.Stored).Msg("the partition is open")
		e.opened(o)
	}
	l.Closed = func(p offsets.Partition) {
		log.Info().Stringer("partition", p).Msg("the partition is closed")
		e.closed(p)
	}
	l.Stopped = func(p offsets.Partition, err error) {
		log.Error().Err(err).Msg("the partition stopped")
		e.stopped(p, err)
	}
	l.Failed = func(f Failure) {
		if p, ok := errors.AsType[*PanicError](f.Err); ok {
			log.Error().Stringer("partition", f.Partition).Int64("offset", f.Offset).
				Interface("panic", p.Value).Bytes("stack", p.Stack).Msg("user code panicked; the record failed")
		}
		e.failed(f)
	}
	l.Dropped = func(d Loss) {
		losses.add("dropped", d)
		e.dropped(d)
	}
	l.Lost = func(d Loss) {
		losses.add("lost", d)
		e.lost(d)
	}
	l.Truncated = func(t Truncation) {
		log.Warn().Stringer("partition", t.Partition).Int64("end", t.End).Int64("undone", t.Undone).Msg("the log was cut under us; going on at its end")
		e.truncated(t)
	}
	l.Recreated = func(r Recreation) {
		log.Warn().Stringer("partition", r.Partition).Stringer("old", r.Old).Stringer("new", r.New).Msg("the topic was made again; going on at its start")
		e.recreated(r)
	}
	l.TooManyFailures = func(p offsets.Partition) {
		losses.tooMany(p, e)
	}
	return l
}

// lossPause is the time within which further losses of one cause are summed up
// instead of logged: no line per record.
const lossPause = 10 * time.Second

// A lossLog logs dropped and lost records: the first of each cause at once, then
// their sum at most once in lossPause.
type lossLog struct {
	log *zerolog.Logger

	mu    sync.Mutex
	since map[Cause]*lossSum
}

type lossSum struct {
	logged  time.Time
	records int64
}

func (l *lossLog) add(what string, d Loss) {
	if n, ok := l.due(d.Cause, d.Records); ok {
		l.log.Warn().Stringer("partition", d.Partition).Int64("records", n).Str("cause", string(d.Cause)).
			Msg("records were " + what)
	}
}

func (l *lossLog) tooMany(p offsets.Partition, e Events) {
	if n, ok := l.due("too many failures", 1); ok {
		l.log.Error().Stringer("partition", p).Int64("fails", n).Msg("more fails than MaxOffsetBehind, and not one ack")
	}
	e.tooManyFailures(p)
}

func (l *lossLog) due(c Cause, n int64) (sum int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.since[c]
	if s == nil {
		s = &lossSum{}
		l.since[c] = s
	}
	s.records += n
	if time.Since(s.logged) < lossPause {
		return 0, false
	}
	sum, s.records, s.logged = s.records, 0, time.Now()
	return sum, true
}
