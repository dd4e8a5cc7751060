package fetch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kspout/kspout/offsets"
)

// A looker makes the looks that logs are in need of, all together, so that no
// fetch waits for them.
type looker struct {
	client *Client
	wanted chan struct{} // cap 1

	mu  sync.Mutex
	due map[*Log]*lookAttempt
}

// A lookAttempt is a look that a log waits for.
type lookAttempt struct {
	at       time.Time
	failures int
}

func newLooker(c *Client) *looker {
	return &looker{client: c, wanted: make(chan struct{}, 1), due: make(map[*Log]*lookAttempt)}
}

// ask queues a look for l.
func (k *looker) ask(l *Log) {
	k.mu.Lock()
	if k.due[l] == nil {
		k.due[l] = &lookAttempt{at: time.Now()}
	}
	k.mu.Unlock()
	select {
	case k.wanted <- struct{}{}:
	default:
	}
}

// loop runs until ctx ends.
func (k *looker) loop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		now := time.Now()
		if logs := k.ready(now); len(logs) > 0 {
			k.look(ctx, logs)
			now = time.Now()
		}
		timer.Reset(k.next(now))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-k.wanted:
		}
	}
}

// ready returns the logs whose look is due. Those that were closed are dropped.
func (k *looker) ready(now time.Time) []*Log {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.due, func(l *Log, _ *lookAttempt) bool { return l.isClosed() })
	var logs []*Log
	for l, a := range k.due {
		if !a.at.After(now) {
			logs = append(logs, l)
		}
	}
	slices.SortFunc(logs, func(a, b *Log) int { return a.partition.Compare(b.partition) })
	return logs
}

// next returns the time until the next look is due.
func (k *looker) next(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := time.Hour
	for _, a := range k.due {
		d = min(d, a.at.Sub(now))
	}
	return max(d, 0)
}

// look asks once for all logs.
func (k *looker) look(ctx context.Context, logs []*Log) {
	ps, marks := make([]offsets.Partition, len(logs)), make([][]Mark, len(logs))
	for i, l := range logs {
		ps[i], marks[i] = l.partition, l.marks()
	}
	looks, ends, errs := k.client.looks(ctx, ps, marks)
	for i, l := range logs {
		err := errs[i]
		if err == nil && l.behind(looks[i].TopicID) {
			err = errBehind
		}
		if k.settle(l, err) {
			looks[i].Cut = l.compare(marks[i], ends[i])
			l.looked(looks[i])
		}
	}
}

// errBehind: the broker that told the metadata still knows a former topic.
var errBehind = errors.New("metadata is behind")

// settle takes the look of l off the queue, or puts it off if it failed.
func (k *looker) settle(l *Log, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		delete(k.due, l)
		return true
	}
	if errors.Is(err, ErrUnknownPartition) {
		k.client.refresh.ask() // which tells when it's gone for good
	}
	if a := k.due[l]; a != nil {
		a.at = time.Now().Add(backoff(a.failures))
		a.failures++
	}
	return false
}
