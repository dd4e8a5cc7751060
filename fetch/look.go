package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kspout/kspout/offsets"
)

// A Look is what a partition's leader says when it's asked, and which topic it
// said it of.
type Look struct {
	// TopicID is that of the topic as the metadata tells it, zero with brokers
	// that have no topic ids.
	TopicID offsets.TopicID
	// Start and End are the log's: the earliest offset, and the latest whatever
	// transactions are open.
	Start, End int64
	// Latest is the latest offset in the isolation in use: the last stable one
	// under [ReadCommitted].
	Latest int64
	// Cut is where the leader epochs say that our history ends: the log was cut
	// there, and has grown since. -1 if they don't, or weren't asked.
	Cut int64
	// OutOfRange says that the look was made because the broker answered a fetch
	// so.
	OutOfRange bool

	epoch int32 // of the leader that was asked
}

// errNoLeader: wait for one.
var errNoLeader = errors.New("no leader")

// A located is a partition and where the metadata says that it is.
type located struct {
	partition offsets.Partition
	id        offsets.TopicID
	info      PartitionInfo
	index     int // of the caller's
}

// Look asks the leader of p. While the leader moves, doesn't know yet or can't be
// reached it asks again, until ctx ends. [ErrUnknownPartition] comes after asking
// twice.
func (c *Client) Look(ctx context.Context, p offsets.Partition) (Look, error) {
	looks, errs := c.Looks(ctx, []offsets.Partition{p})
	return looks[0], errs[0]
}

// Looks is [Client.Look] for many partitions, with few requests: both results are
// parallel to ps.
func (c *Client) Looks(ctx context.Context, ps []offsets.Partition) ([]Look, []error) {
	return c.LooksSince(ctx, ps, make([][]Mark, len(ps)))
}

// OffsetAt returns the offset of the first record of p at or after t, or the
// latest one in the isolation in use if there is none. It repeats like
// [Client.Look].
func (c *Client) OffsetAt(ctx context.Context, p offsets.Partition, t time.Time) (int64, error) {
	found, errs := c.OffsetsAt(ctx, []offsets.Partition{p}, t)
	return found[0], errs[0]
}

// OffsetsAt is [Client.OffsetAt] for many partitions, with few requests: both
// results are parallel to ps.
func (c *Client) OffsetsAt(ctx context.Context, ps []offsets.Partition, t time.Time) ([]int64, []error) {
	return askAll(ctx, c, ps, func(ctx context.Context, ps []offsets.Partition) ([]int64, []error) {
		return c.offsetsAt(ctx, ps, t)
	})
}

// askAll asks once for all ps, and again for those whose error may pass.
func askAll[T any](ctx context.Context, c *Client, ps []offsets.Partition, ask func(context.Context, []offsets.Partition) ([]T, []error)) ([]T, []error) {
	out, errs := make([]T, len(ps)), make([]error, len(ps))
	ctx, done, err := c.join(ctx)
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return out, errs
	}
	defer done()
	left := make([]int, len(ps)) // indices still to ask for
	for i := range left {
		left[i] = i
	}
	missing := make([]int, len(ps)) // times that a partition was unknown
	for attempt := 0; len(left) > 0; attempt++ {
		var again []int
		asked := make([]offsets.Partition, len(left))
		for k, i := range left {
			asked[k] = ps[i]
		}
		got, failed := ask(ctx, asked)
		for k, i := range left {
			if out[i] = got[k]; failed[k] == nil {
				errs[i] = nil
				continue
			}
			if errs[i] == nil || ctx.Err() == nil { // else the attempt before says more
				errs[i] = fmt.Errorf("fetch: %v: %w", ps[i], failed[k])
			}
			if errors.Is(failed[k], ErrUnknownPartition) {
				missing[i]++
			}
			if missing[i] < 2 && !isFatal(failed[k]) {
				again = append(again, i)
			}
		}
		if left = again; len(left) > 0 {
			c.distrust()
		}
		if len(left) == 0 || pause(ctx, backoff(attempt)) == nil {
			continue
		}
		for _, i := range left {
			errs[i] = fmt.Errorf("%w: %w", errs[i], context.Cause(ctx))
		}
		break
	}
	return out, errs
}

// looks asks once, and for the ends of the epochs that marks name. Cut is left to
// the caller.
func (c *Client) looks(ctx context.Context, ps []offsets.Partition, marks [][]Mark) ([]Look, [][]epochEnd, []error) {
	out, errs := make([]Look, len(ps)), make([]error, len(ps))
	ends := make([][]epochEnd, len(ps))
	c.atLeaders(ctx, ps, errs, func(ctx context.Context, b *broker, ps []located) {
		list := func(time int64, isolation Isolation, set func(*Look, int64)) {
			for i, a := range c.list(ctx, b, ps, time, isolation, errs) {
				set(&out[i], a)
			}
		}
		for _, p := range ps {
			out[p.index] = Look{TopicID: p.id, Cut: -1, epoch: p.info.LeaderEpoch}
		}
		list(atEarliest, ReadUncommitted, func(l *Look, o int64) { l.Start = o })
		list(atLatest, ReadUncommitted, func(l *Look, o int64) { l.End, l.Latest = o, o })
		if c.cfg.Isolation == ReadCommitted {
			list(atLatest, ReadCommitted, func(l *Look, o int64) { l.Latest = o })
		}
		c.epochEnds(ctx, b, ps, marks, ends, errs)
	})
	return out, ends, errs
}

// offsetsAt asks once.
func (c *Client) offsetsAt(ctx context.Context, ps []offsets.Partition, t time.Time) ([]int64, []error) {
	out, errs := make([]int64, len(ps)), make([]error, len(ps))
	c.atLeaders(ctx, ps, errs, func(ctx context.Context, b *broker, ps []located) {
		var none []located
		for i, o := range c.list(ctx, b, ps, max(t.UnixMilli(), 0), c.cfg.Isolation, errs) {
			out[i] = o
		}
		for _, p := range ps {
			if out[p.index] < 0 && errs[p.index] == nil {
				none = append(none, p)
			}
		}
		for i, o := range c.list(ctx, b, none, atLatest, c.cfg.Isolation, errs) {
			out[i] = o
		}
	})
	return out, errs
}

// list asks b once for the offsets at a time of those of ps that have no error
// yet, and returns them by the partitions' indices. It sets the errors of others.
func (c *Client) list(ctx context.Context, b *broker, ps []located, time int64, isolation Isolation, errs []error) map[int]int64 {
	ps = slices.DeleteFunc(slices.Clone(ps), func(p located) bool { return errs[p.index] != nil })
	if len(ps) == 0 {
		return nil
	}
	got, err := roundTrip(ctx, b, listOffsetsCall(ps, time, isolation), 0)
	found := make(map[int]int64, len(ps))
	for _, p := range ps {
		a, ok := got[p.partition]
		switch {
		case err != nil:
			errs[p.index] = err
		case !ok:
			errs[p.index] = fmt.Errorf("broker %s: no answer for the partition", b.addr)
		case a.code != 0:
			errs[p.index] = brokerError(int16(a.code))
		default:
			found[p.index] = a.offset
		}
	}
	return found
}

// atLeaders finds the leaders of ps by the metadata and runs ask for each with
// its partitions, all brokers at once. Errors go to errs, parallel to ps; each
// call of ask touches only those of its own partitions.
func (c *Client) atLeaders(ctx context.Context, ps []offsets.Partition, errs []error, ask func(context.Context, *broker, []located)) {
	topics := make([]string, 0, 1)
	for _, p := range ps {
		topics = append(topics, p.Topic)
	}
	slices.Sort(topics)
	l, err := c.metadata(ctx, slices.Compact(topics))
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return
	}
	byLeader := make(map[string][]located)
	for i, p := range ps {
		t, info, err := l.partition(p)
		if err == nil && info.LeaderID < 0 {
			err = errNoLeader
		}
		if errs[i] = err; err == nil {
			addr := hostPort(info.Leader)
			byLeader[addr] = append(byLeader[addr], located{p, t.ID, info, i})
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for addr, ps := range byLeader {
		b, err := c.broker(addr)
		if err != nil {
			for _, p := range ps {
				errs[p.index] = err
			}
			continue
		}
		wg.Go(func() { ask(ctx, b, ps) })
	}
}
