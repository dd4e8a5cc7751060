package fetch

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

// A plan is the next request of a lane, or how long to wait for one.
type plan struct {
	request *fetchRequest // nil: nothing to ask for
	wait    time.Duration // until that may change by itself
	// deliver gives an answer to its log, or, if a is nil, the news that none came
	// for the part.
	deliver func(part fetchPart, a *fetchAnswer)
}

// A lane is one sequence of fetch requests to a broker: never two under way at a
// time.
type lane struct {
	broker *broker
	plan   func(now time.Time) plan
	kick   <-chan struct{}

	failures int // requests in a row that got no answer
}

func newLane(b *broker, plan func(time.Time) plan, kick <-chan struct{}) *lane {
	return &lane{broker: b, plan: plan, kick: kick}
}

// idle bounds the time that a lane without work waits for a kick.
const idle = time.Minute

// loop runs until ctx, the broker's, ends.
func (n *lane) loop(ctx context.Context) {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for ctx.Err() == nil {
		p := n.plan(time.Now())
		if p.request != nil {
			n.do(ctx, p)
			continue
		}
		timer.Reset(min(p.wait, idle))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-n.kick:
		}
	}
}

// quietFailures is how many requests in a row may fail before it is told: the
// broker may have closed all of its connections, because they were idle or want to
// be authenticated anew, and each request finds out about one.
const quietFailures = 3

// do makes the request, hands out its answers and waits as long as the broker
// says, or as its failures demand. The first failure costs no time: brokers close
// connections that were idle.
func (n *lane) do(ctx context.Context, p plan) {
	resp, err := roundTrip(ctx, n.broker, p.request.call(), p.request.maxWait)
	if err != nil {
		for _, part := range p.request.parts {
			p.deliver(part, nil)
		}
		if ctx.Err() != nil {
			return
		}
		log := &n.broker.client.cfg.Logger
		if n.failures == quietFailures {
			log.Warn().Err(err).Msg("broker doesn't answer; asking again until it does")
		}
		if n.failures++; n.failures > 1 {
			n.broker.client.refresh.ask()
			_ = pause(ctx, backoff(n.failures-2))
		}
		return
	}
	if n.failures > quietFailures {
		n.broker.client.cfg.Logger.Info().Str("broker", n.broker.addr).Msg("broker answers again")
	}
	n.failures = 0
	got := make(map[*Log]bool, len(resp.answers))
	for i := range resp.answers {
		a := &resp.answers[i]
		got[a.part.log] = true
		p.deliver(a.part, a)
	}
	for _, part := range p.request.parts {
		if !got[part.log] {
			p.deliver(part, &fetchAnswer{part: part, code: kafka.Unknown})
		}
	}
	if resp.throttle > 0 {
		_ = pause(ctx, resp.throttle)
	}
}

// shortWait is the longest that a broker may hold a request that leaves out a
// partition which could be wanted any moment.
const shortWait = 10 * time.Millisecond

// planFetch asks for new records of every partition that has room.
func (b *broker) planFetch(now time.Time) plan {
	q := &fetchRequest{maxWait: b.client.cfg.MaxWait, isolation: b.client.cfg.Isolation}
	wait := idle
	share := b.client.share()
	for _, l := range b.rotation() {
		part, state, due := l.want(now, share, b)
		switch state {
		case wanted:
			q.parts = append(q.parts, part)
		case later:
			wait = min(wait, due.Sub(now))
		case full:
			q.maxWait = min(q.maxWait, shortWait)
		}
	}
	q.maxWait = max(min(q.maxWait, wait), min(q.maxWait, shortWait))
	if len(q.parts) == 0 {
		return plan{wait: wait}
	}
	return plan{request: q, deliver: func(p fetchPart, a *fetchAnswer) { p.log.deliver(p, a) }}
}

// planRetries asks for what is to be delivered again. The broker answers at
// once, with at least one batch for the first partition; a log whose answer was
// empty in the company of others is asked for alone.
func (b *broker) planRetries(now time.Time) plan {
	q := &fetchRequest{isolation: b.client.cfg.Isolation}
	wait := idle
	for _, l := range b.rotation() {
		part, alone, state, due := l.wantAgain(now, b, len(q.parts) == 0)
		switch state {
		case wanted:
			q.parts = append(q.parts, part)
		case later:
			wait = min(wait, due.Sub(now))
		}
		if alone {
			break
		}
	}
	if len(q.parts) == 0 {
		return plan{wait: wait}
	}
	single := len(q.parts) == 1
	return plan{request: q, deliver: func(p fetchPart, a *fetchAnswer) { p.log.deliverAgain(p, a, single) }}
}
