package fetch

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/kspout/kspout/offsets"
)

// A Client fetches partitions from one cluster. Its methods may be called from
// any goroutine. Those that ask brokers wait for [Client.Run] to have begun, and
// return [ErrClosed] once it has ended.
type Client struct {
	cfg     Config
	decoder *decoder

	started chan struct{} // closed when Run has begun
	run     context.Context
	refresh *refresher
	looker  *looker
	work    sync.WaitGroup // the brokers' goroutines; added to under mu while not closed

	mu      sync.Mutex
	closed  bool
	brokers map[string]*broker // by address
	logs    map[*Log]struct{}
	known   []string // addresses in the last metadata answer, the one that answered first
}

// New returns a client that is ready to [Client.Run]. It opens nothing.
func New(cfg Config) *Client {
	c := &Client{
		cfg:     cfg.withDefaults(),
		decoder: defaultDecoder(),
		started: make(chan struct{}),
		brokers: make(map[string]*broker),
		logs:    make(map[*Log]struct{}),
	}
	c.refresh = newRefresher(c)
	c.looker = newLooker(c)
	return c
}

// goneTime bounds how long Run waits for the transports to notice that their
// sockets are cut.
const goneTime = time.Second

// Run does all the client's work. It is called once; every goroutine and every
// connection is its own. It returns when all of them have ended, which is soon
// after ctx is done: sockets are cut.
func (c *Client) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.run = ctx
	close(c.started)
	var wg sync.WaitGroup
	wg.Go(func() { c.refresh.loop(ctx) })
	wg.Go(func() { c.looker.loop(ctx) })
	<-ctx.Done()
	c.mu.Lock()
	c.closed = true
	brokers := slices.Collect(maps.Values(c.brokers))
	clear(c.brokers)
	c.mu.Unlock()
	for _, b := range brokers {
		b.stop()
	}
	wg.Wait()
	c.work.Wait()
	patience := time.NewTimer(goneTime)
	defer patience.Stop()
	for _, b := range brokers {
		select {
		case <-b.conns.empty:
		case <-patience.C:
			return
		}
	}
}

// join returns a context that ends with ctx and with Run, whose cause tells
// which. It waits for Run to begin. done releases it.
func (c *Client) join(ctx context.Context) (joined context.Context, done func(), err error) {
	select {
	case <-c.started:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if c.run.Err() != nil {
		return nil, nil, ErrClosed
	}
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.run, func() { cancel(ErrClosed) })
	return joined, func() {
		stop()
		cancel(nil)
	}, nil
}

// broker returns the broker at this address.
func (c *Client) broker(addr string) (*broker, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	b, ok := c.brokers[addr]
	if !ok {
		b = newBroker(c, addr)
		c.brokers[addr] = b
	}
	return b, nil
}

// candidates returns the addresses to ask for metadata, in order: those known,
// the one that answered last first, then the bootstrap ones in any order.
func (c *Client) candidates() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.known)
	for _, i := range rand.Perm(len(c.cfg.Brokers)) {
		if addr := c.cfg.Brokers[i]; !slices.Contains(all, addr) {
			all = append(all, addr)
		}
	}
	return all
}

// learned takes note of the brokers that l tells, as answered by addr.
func (c *Client) learned(addr string, l *layout) {
	known := make([]string, 0, len(l.brokers))
	for _, b := range l.brokers {
		known = append(known, hostPort(b))
	}
	slices.Sort(known) // a broker that fails to answer is asked no more often than the others
	if i := slices.Index(known, addr); i > 0 {
		known[0], known[i] = known[i], known[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = known
}

// distrust makes another broker the first to be asked for metadata: what the last
// one told didn't hold, so it may be cut off from the others.
func (c *Client) distrust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.known); n > 1 {
		c.known = append(slices.Clone(c.known[1:]), c.known[0])
	}
}

// prune closes the brokers that the cluster doesn't list any more.
func (c *Client) prune(l *layout) {
	listed := make(map[string]bool, len(l.brokers))
	for _, b := range l.brokers {
		listed[hostPort(b)] = true
	}
	var left []*broker
	c.mu.Lock()
	for addr, b := range c.brokers {
		if !listed[addr] {
			left = append(left, b)
			delete(c.brokers, addr)
		}
	}
	c.mu.Unlock()
	for _, b := range left {
		b.stop()
	}
}

// Open starts fetching p, of the topic with this id (zero: not known, it is
// learned). Records come from the offset that the first [Log.Take] names. wake is
// called, from any goroutine, whenever a Take or Again that wasn't ready may have
// an answer: it must be cheap, not block, and not call back into the Log.
func (c *Client) Open(p offsets.Partition, id offsets.TopicID, wake func()) *Log {
	l := newLog(c, p, id, wake)
	c.mu.Lock()
	c.logs[l] = struct{}{}
	c.mu.Unlock()
	c.refresh.ask()
	return l
}

// forget removes a closed log.
func (c *Client) forget(l *Log) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.logs, l)
}

// openLogs returns the logs that are open.
func (c *Client) openLogs() []*Log {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.logs))
}

// share returns the bytes that each partition may have fetched ahead: with equal
// shares of the total, none that stands still can starve another.
func (c *Client) share() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(1, min(c.cfg.MaxPartitionBytes, c.cfg.MaxBufferedBytes/int64(max(1, len(c.logs)))))
}
