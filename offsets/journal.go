package offsets

import "slices"

// A Journal knows what is stored of one partition and what is being written: a
// commit is a snapshot, handed to a store, and its outcome.
//
// At most one write is outstanding. Not safe for concurrent use.
type Journal struct {
	// written is what is known to be stored, at version; meaningless while
	// version is NoVersion.
	written Checkpoint
	version int32

	outstanding bool

	// settled is the tracker's revision at which it was found to say what is
	// written; with it, a commit of an idle partition costs nothing.
	settled   uint64
	isSettled bool
	identity  identity
}

// identity is what a checkpoint says beside offsets and what makes it worth
// writing.
type identity struct {
	instance string
	topicID  TopicID
}

// NewJournal continues from what was loaded.
func NewJournal(s Stored) *Journal {
	return &Journal{written: s.Checkpoint, version: s.Version}
}

// Begin returns the write that stores what t says, under the names in base:
// partition, ids, topic id, broker, owner. It is false if nothing that is worth
// writing differs from what is stored, or if a write is outstanding. Unknown
// keys of the stored value are kept.
//
// Rule C1.
func (j *Journal) Begin(t *Tracker, base Checkpoint) (Write, bool) {
	id := identity{base.Instance, base.TopicID}
	if j.outstanding || j.isSettled && j.settled == t.Revision() && j.identity == id {
		return Write{}, false
	}
	c := base
	c.Extra = j.written.Extra
	c.Offset = t.Committed()
	c.Acked = t.Acked()
	c.LeaderEpoch, c.AckedEpoch = t.Epochs(c.Acked)
	if j.stores(c) {
		j.settled, j.isSettled, j.identity = t.Revision(), true, id
		return Write{}, false
	}
	j.outstanding, j.isSettled = true, false
	return Write{Checkpoint: c, Version: j.version}, true
}

// End takes the outcome of a write that [Journal.Begin] returned. With an error
// nothing is taken as stored, and the next Begin offers the write again.
//
// Rule C2.
func (j *Journal) End(w Write, err error) {
	j.outstanding = false
	if err == nil {
		j.written, j.version = w.Checkpoint, w.Version+1
	}
}

// Outstanding reports whether a write was begun and not ended.
func (j *Journal) Outstanding() bool { return j.outstanding }

// Written returns what is known to be stored, false if nothing is.
func (j *Journal) Written() (Checkpoint, bool) { return j.written, j.version != NoVersion }

func (j *Journal) stores(c Checkpoint) bool {
	w := &j.written
	return j.version != NoVersion && w.Offset == c.Offset && w.Instance == c.Instance &&
		w.TopicID == c.TopicID && slices.Equal(w.Acked, c.Acked)
}
