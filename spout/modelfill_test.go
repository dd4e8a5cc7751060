package spout

import "slices"

// fill queues the due failed offsets, then new records: F1 to F3.
func (p *modelPartition) fill() error {
	if err := p.fillRetries(); err != nil {
		return err
	}
	for {
		room := p.opts.fetchSize
		if p.opts.maxPending > 0 {
			room = min(room, p.opts.maxPending-len(p.pending))
		}
		if room <= 0 {
			return nil
		}
		ok, err := p.ask(p.position)
		if err != nil {
			return err
		}
		if ok {
			p.take(room)
			return nil
		}
	}
}

// fillRetries is F1.
func (p *modelPartition) fillRetries() error {
	asked := int64(-1)
	for {
		o := int64(-1)
		for _, f := range p.in(modelFailed) {
			if f > asked && p.due[f] <= p.world.now {
				o = f
				break
			}
		}
		if o < 0 {
			return nil
		}
		asked = o
		ok, err := p.ask(o)
		if err != nil {
			return err
		}
		if !ok || p.pending[o] != modelFailed {
			continue
		}
		answer := p.world.log.read(o, p.opts.fetchSize)
		if len(answer.records) == 0 {
			if err := p.look(); err != nil {
				return err
			}
			continue
		}
		for _, f := range p.in(modelFailed) {
			if f < o || f >= answer.proven || p.due[f] > p.world.now {
				continue
			}
			if !p.world.log.has(f) {
				p.lost++
				p.finish(f)
				continue
			}
			p.enqueue(f)
			delete(p.due, f)
		}
	}
}

func (p *modelPartition) enqueue(o int64) {
	p.pending[o] = modelQueued
	p.queue = append(p.queue, modelTaken{o, p.world.log.yields(o)})
}

// take is F2, for an answer to a fetch at position. The answer holds fetch-size
// records, restored ones included; those count for no room.
func (p *modelPartition) take(room int) {
	answer := p.world.log.read(p.position, p.opts.fetchSize)
	proven := answer.proven
	for _, o := range answer.records {
		if p.restored[o] {
			continue
		}
		if room == 0 {
			proven = o
			break
		}
		p.enqueue(o)
		room--
	}
	for p.position < proven {
		delete(p.restored, p.position)
		p.position++
	}
	p.pass()
}

// ask is a fetch at o. Its answer tells the topic id, S and E; ok says whether o is
// in the log. What it tells may have moved position.
func (p *modelPartition) ask(o int64) (ok bool, err error) {
	m := p.world
	if m.fetchFails > 0 {
		m.fetchFails--
		return false, errModelFetch
	}
	if m.log.topic != p.topic || o < m.log.start || o > m.log.end {
		return false, p.look()
	}
	p.told()
	return true, nil
}

// told applies what S and E decide in any answer: R2, O3.
func (p *modelPartition) told() {
	l := &p.world.log
	p.start = max(p.start, l.start)
	for o, s := range p.pending {
		if o < p.start && s != modelInFlight {
			p.lost++
			p.finish(o)
		}
	}
	p.unrestore(l.end, 1<<62)
}

// look asks for S, E and the topic id, and applies R1 to R4.
func (p *modelPartition) look() error {
	l := &p.world.log
	if l.topic != p.topic {
		p.recreated()
		return p.store()
	}
	if p.position > l.end {
		p.truncated(l.end)
		p.told()
		return p.store()
	}
	p.told()
	if p.position < p.start { // R1
		p.lost += p.start - p.position - p.unrestore(p.position, p.start)
		p.position = p.start
		p.pass()
	}
	return nil
}

// truncated is R3: the log was cut at t.
func (p *modelPartition) truncated(t int64) {
	p.before = p.latest()
	for o := range p.pending {
		if o >= t {
			p.lost++
			p.forget(o)
		}
	}
	for o, ds := range p.given {
		if o >= t {
			for _, d := range ds {
				d.stale = true
			}
			delete(p.given, o)
			delete(p.attempts, o)
		}
	}
	for o := range p.attempts {
		if o >= t {
			delete(p.attempts, o)
		}
	}
	p.unrestore(t, 1<<62)
	p.position = t
	p.start = min(p.start, t)
	p.highest = min(p.highest, t-1)
}

// recreated is R4.
func (p *modelPartition) recreated() {
	l := &p.world.log
	p.truncated(0)
	p.topic, p.start, p.position, p.highest = l.topic, l.start, l.start, -1
}

// store writes what R3 and R4 found before anything is emitted.
func (p *modelPartition) store() error {
	_, err := p.write()
	p.barrier = err != nil
	return err
}

// next emits one record, or none: N1 to N3.
func (p *modelPartition) next() (*modelDelivery, error) {
	if p.barrier {
		if err := p.store(); err != nil {
			return nil, err
		}
	}
	filled := false
	for {
		ended, position := p.ended, p.position
		if len(p.queue) == 0 {
			if err := p.fill(); err != nil {
				return nil, err
			}
			filled = true
		}
		for len(p.queue) > 0 {
			if d := p.emit(); d != nil {
				return d, nil
			}
		}
		if filled && ended == p.ended && position == p.position {
			return nil, nil
		}
	}
}

// emit takes the head of the queue; nil if it yields no tuple.
func (p *modelPartition) emit() *modelDelivery {
	t := p.queue[0]
	p.queue = slices.Delete(p.queue, 0, 1)
	o := t.offset
	switch {
	case t.yields == 0:
		p.finish(o)
		return nil
	case t.yields == modelBad && !p.opts.failBad:
		p.dropped++
		p.finish(o)
		return nil
	}
	p.attempts[o]++
	p.pending[o] = modelInFlight
	if t.yields == modelBad {
		p.failed(o)
		return nil
	}
	d := &modelDelivery{offset: o, number: p.attempts[o], acked: make([]bool, t.yields), since: p.world.now}
	p.out[o] = d
	p.given[o] = append(p.given[o], d)
	p.highest = max(p.highest, o)
	return d
}
