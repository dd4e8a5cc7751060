package spout

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A source is where a manager takes records from: a [fetch.Log].
type source interface {
	Take(from int64) (fetch.Answer, bool)
	Again(at int64) (fetch.Answer, bool)
	Leader() (offsets.Broker, int32)
}

// managerOptions is what a [Config] says about one partition, resolved.
type managerOptions struct {
	partition     offsets.Partition
	id, instance  string
	startOffset   int64 // of the start policy, resolved; moved into the log by open
	ignoreStored  bool
	onOutOfRange  OutOfRangePolicy
	onUndecodable UndecodablePolicy
	policy        offsets.Policy
	timeout       time.Duration // of a delivery; 0: none
	fetchSize     int           // records that one fill takes at most
	maxPending    int           // 0: no bound
	maxBytes      int64         // that pending records pin; 0: no bound
	scheme        Scheme        // nil: one tuple a record
	events        Events
	crash         bool // let panics of user code pass
}

// A partitionManager is storm-kafka's PartitionManager: it keeps the pending and
// failed offsets of one partition, fills a queue of records that wait to be
// emitted, hands them out, takes acks and fails in any order, and says what is to
// be committed. Its behaviour is fixed by testdata/scenarios.
//
// One goroutine, the partition's owner, calls next, saveNow, close and
// release. ack and fail are called by anyone, beginCommit and endCommit
// by whoever commits.
type partitionManager struct {
	opts   managerOptions
	source source
	store  Store
	wake   func() // tells the owner to call next again; never blocks

	// The queue of records that wait to be emitted belongs to the owner: the
	// tuples from queue[0].tuples[at] on. A tuple in it may be stale.
	queue []*block
	at    int

	// dirty: open, R3 or R4 changed what has to be stored before anything is
	// emitted. Owner only.
	dirty bool

	// asking: the last fill left a due record that the source will wake us for.
	// Owner only.
	asking bool

	// cutLooks counts the looks that told a cut, wherever it lies. Owner only.
	cutLooks int

	// sizeLimit bounds what a checkpoint may need beside its names, in bytes.
	// Fixed by open.
	sizeLimit int64

	// starved: the last fill left new records for lack of room. Acks wake the
	// owner then.
	starved atomic.Bool

	ignored atomic.Int64 // acks and fails

	// writing holds a token while a write of this partition is under way.
	writing chan struct{}

	mu      sync.Mutex
	tracker *offsets.Tracker
	journal *offsets.Journal
	topicID offsets.TopicID
	live    liveBlocks
	latest  map[int64]*Tuple // the latest delivery of each pending offset that was requeued
	gen     int              // counts R3, R4 and the release
	cuts    []cut
	notes   []func(*Events) // what to tell when mu is unlocked

	expiry   *time.Timer // of the delivery that times out next; nil if not set
	expiring sync.WaitGroup
	released bool
}

// A cut makes the tuples of older blocks stale, from an offset on. The list is
// kept without those that a later cut includes.
type cut struct {
	gen int // blocks of this and lower generations
	at  int64
}

// unlock unlocks mu, then tells what there is to tell.
func (m *partitionManager) unlock() {
	notes := m.notes
	m.notes = nil
	m.mu.Unlock()
	for _, tell := range notes {
		tell(&m.opts.events)
	}
}

// note keeps a call of a user's hook for unlock. The caller holds mu.
func (m *partitionManager) note(tell func(*Events)) { m.notes = append(m.notes, tell) }

// sweep brings the tracker up to date with plain acks. The caller holds mu.
func (m *partitionManager) sweep() { m.live.sweep(m.tracker) }

// isStale reports whether t is of a log, or of a part of one, that is gone, or of
// a partition that was released. The caller holds mu.
func (m *partitionManager) isStale(t *Tuple) bool {
	for _, c := range m.cuts {
		if t.blk.gen <= c.gen && t.Offset() >= c.at {
			return true
		}
	}
	return false
}

// cut makes all tuples taken so far stale from offset at on. The caller holds mu
// and has swept all.
func (m *partitionManager) cut(at int64) {
	for b := range m.live.all() {
		for i := range b.tuples {
			if t := &b.tuples[i]; t.Offset() >= at {
				b.cancel(t)
			}
		}
	}
	keep := m.cuts[:0]
	for _, c := range m.cuts {
		if c.at < at {
			keep = append(keep, c)
		}
	}
	m.cuts = append(keep, cut{gen: m.gen, at: at})
	m.gen++
	m.forgetLatest()
}

// forgetLatest drops the deliveries of offsets that are no longer pending. The
// caller holds mu.
func (m *partitionManager) forgetLatest() {
	for o := range m.latest {
		if !m.tracker.IsPending(o) {
			delete(m.latest, o)
		}
	}
}

// release ends the manager without a commit: every tuple of it is stale.
func (m *partitionManager) release() {
	m.stopExpiry()
	m.mu.Lock()
	defer m.unlock()
	m.live.sweepAll(m.tracker)
	m.cut(0)
	m.queue, m.at = nil, 0
}

// close commits, then releases. The error says why the last write failed.
func (m *partitionManager) close(ctx context.Context) error {
	err := m.save(ctx)
	m.release()
	return err
}
