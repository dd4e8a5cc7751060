package fetch

import "github.com/kspout/kspout/offsets"

// An Answer is what a [Log] says when it is asked for records.
type Answer struct {
	// Records walks the records of one batch, at or above the offset asked for.
	// Nil if the answer held no batch that reaches it: it proves nothing then.
	Records *Cursor

	// Look is set if the fetch was answered out of range, if the topic is another
	// one than before (its TopicID tells), and for a record that is to be
	// delivered again, if the answer held no batch.
	Look *Look

	// Start is the log start that came with the answer, -1 if none did. An
	// answer that brings nothing but a new Start is one too: records that wait
	// for their retry may be gone.
	Start int64

	// End is the high watermark that came with the answer, -1 if none did. It
	// may lag after a failover, so nothing is decided by it, but that restored
	// acks at and above it are forgotten.
	End int64

	// Err is a [PartitionError]: the partition can't go on at this offset.
	// Transient errors are retried inside the [Log] and never come here.
	Err error
}

// A Look is what a partition's leader says when asked where the log is.
type Look struct {
	// TopicID is that of the topic as metadata tells it, zero if unknown.
	TopicID offsets.TopicID

	// Start is the log start, End the log end: the answers of ListOffsets for
	// earliest and for latest, read uncommitted.
	Start, End int64

	// Latest is the latest offset in the isolation in use: the last stable
	// offset for [ReadCommitted].
	Latest int64

	// Cut is where leader epochs say that the history we know ends (KIP-320),
	// -1 if they don't tell.
	Cut int64

	// OutOfRange: a fetch at the offset asked for was answered out of range.
	OutOfRange bool
}
