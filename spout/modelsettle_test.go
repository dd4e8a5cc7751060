package spout

import "time"

// ack is A1 to A4 for one tuple; false: ignored.
func (p *modelPartition) ack(d *modelDelivery, tuple int) bool {
	if d.stale {
		return false
	}
	o := d.offset
	current := p.out[o] == d
	switch {
	case len(d.acked) > 1:
		if !current || d.acked[tuple] {
			return false
		}
		d.acked[tuple] = true
		all := true
		for _, a := range d.acked {
			all = all && a
		}
		if all {
			p.finish(o)
		}
	case p.pending[o] == 0:
		return false
	default: // the latest delivery in flight, or a late one (A2)
		p.finish(o)
	}
	p.acks++
	if p.opts.behind >= 0 {
		for b := range p.pending {
			if b < o-p.opts.behind {
				p.dropped++
				p.finish(b)
			}
		}
	}
	return true
}

// fail is E1 to E4 for one tuple.
func (p *modelPartition) fail(d *modelDelivery, tuple int) (taken bool, err error) {
	if d.stale || p.out[d.offset] != d || d.acked[tuple] {
		return false, nil
	}
	return true, p.failDelivery(d.offset)
}

// failDelivery fails the delivery in flight at o.
func (p *modelPartition) failDelivery(o int64) error {
	p.fails++
	m := p.opts.behind
	switch {
	case o < p.start:
		p.failed(o)
	case m >= 0 && o < p.highest+1-m:
		p.dropped++
		p.finish(o)
	default:
		p.failed(o)
	}
	if m >= 0 && p.acks == 0 && int64(p.fails) > m {
		return errModelTooMany
	}
	return nil
}

// failed is R2, E3 and E1 for the attempt at o that has just failed.
func (p *modelPartition) failed(o int64) {
	switch {
	case o < p.start:
		p.lost++
		p.finish(o)
	case p.opts.retryLimit >= 0 && p.attempts[o] >= 1+p.opts.retryLimit:
		p.dropped++
		p.finish(o)
	default:
		delete(p.out, o)
		p.pending[o] = modelFailed
		p.due[o] = p.world.now + p.opts.retryDelay(p.attempts[o])
	}
}

// retryDelay is the delay before retry n.
func (o modelOptions) retryDelay(n int) time.Duration {
	d := float64(o.delay)
	for range n - 1 {
		d *= o.multiplier
	}
	if d >= float64(o.maxDelay) {
		return o.maxDelay
	}
	return time.Duration(d)
}

// wait moves the clock on; deliveries fail at their instants (E5).
func (m *model) wait(d time.Duration) {
	until := m.now + d
	for m.part != nil && m.part.opts.timeout > 0 {
		var first *modelDelivery
		for _, d := range m.part.out {
			if first == nil || d.since < first.since || d.since == first.since && d.offset < first.offset {
				first = d
			}
		}
		if first == nil || first.since+m.part.opts.timeout > until {
			break
		}
		m.now = first.since + m.part.opts.timeout
		m.part.failDelivery(first.offset)
	}
	m.now = until
}
