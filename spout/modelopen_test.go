package spout

import (
	"maps"
	"slices"
	"time"
)

// modelOptions are the keys of the command open.
type modelOptions struct {
	id           string
	start        string // earliest, latest or a number
	startAt      int64
	ignoreStored bool
	behind       int64 // M, -1: off
	outOfRange   string
	fetchSize    int
	maxPending   int
	delay        time.Duration
	multiplier   float64
	maxDelay     time.Duration
	retryLimit   int
	timeout      time.Duration
	failBad      bool
}

func modelDefaults() modelOptions {
	return modelOptions{id: "A", start: "earliest", behind: -1, outOfRange: "earliest", fetchSize: 1000,
		multiplier: 1, maxDelay: time.Minute, retryLimit: -1}
}

// policy is the start policy's offset, moved into [S, E].
func (o modelOptions) policy(l *modelLog) int64 {
	switch o.start {
	case "earliest":
		return l.start
	case "latest":
		return l.end
	}
	return min(max(o.startAt, l.start), l.end)
}

// open makes a manager from the store: O1 to O7.
func (m *model) open(opts modelOptions) error {
	if m.garbage {
		return errModelUnreadable
	}
	p := &modelPartition{
		world: m, opts: opts, topic: m.log.topic, start: m.log.start, highest: -1,
		pending: map[int64]modelState{}, restored: map[int64]bool{},
		attempts: map[int64]int{}, due: map[int64]time.Duration{},
		out: map[int64]*modelDelivery{}, given: map[int64][]*modelDelivery{},
		before: m.before,
	}
	s := m.stored
	atOnce := true
	switch {
	case s == nil, s.id != opts.id && opts.ignoreStored: // O1, O2
		p.position = opts.policy(&m.log)
	default:
		if err := p.resume(s); err != nil {
			return err
		}
		atOnce = s.topic != p.topic || // O4
			p.position != s.offset || modelRanges(slices.Sorted(maps.Keys(p.restored))) != s.acked
	}
	if s != nil {
		p.written = *s
	}
	if atOnce {
		if _, err := p.write(); err != nil {
			return err
		}
	}
	m.part = p
	return nil
}

// resume takes position and acks from what is stored: O3 to O6.
func (p *modelPartition) resume(s *modelStored) error {
	l := &p.world.log
	p.position = s.offset
	switch {
	case s.topic != l.topic: // O4
		p.position = l.start
	default:
		for _, o := range modelParseRanges(s.acked) {
			p.restored[o] = true
		}
		below, above := s.offset < l.start, s.offset > l.end
		if (below || above) && p.opts.outOfRange == "error" {
			return errModelRange
		}
		switch {
		case below:
			p.lost += l.start - s.offset - p.unrestore(s.offset, l.start)
			p.position = l.start
			p.unrestore(l.end, 1<<62)
		case above && p.opts.outOfRange == "latest":
			p.dropped += l.end - l.start
			p.position = l.end
			clear(p.restored)
		case above:
			p.position = l.start
			clear(p.restored)
		default:
			p.unrestore(l.end, 1<<62)
		}
	}
	p.pass()
	to := p.opts.policy(l)
	if p.opts.behind >= 0 && to-p.position > p.opts.behind { // O6
		p.dropped += to - p.position - p.unrestore(p.position, to)
		p.position = to
		p.pass()
	}
	return nil
}
