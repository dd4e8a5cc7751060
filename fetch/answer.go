package fetch

// An Answer is what a [Log] has for its consumer. At most one of Records, Look and
// Err is set; with none of them, Start or End is news.
type Answer struct {
	// Records are those of one batch that reaches to the offset asked for or
	// beyond.
	Records *Cursor

	// Look is set when the leader told that something about the offset asked for
	// is out of order: the fetch was answered "out of range" (OutOfRange is set,
	// and the offset lies outside [Start, End]), or the topic was created anew
	// (TopicID is another one; from then on the Log is of the new one), or the log
	// was cut below what was fetched (Cut is set; what was fetched ahead is thrown
	// away), or an Again found no batch.
	Look *Look

	// Start is the highest log start that came with a fetch, -1 if none did. A
	// rising one is an answer of its own: what waits for its retry may be gone.
	Start int64

	// End is the high watermark that came with the last fetch, -1 if none did. It
	// may lag after a failover, so nothing is decided by it, but that acks which
	// were restored from a checkpoint are forgotten from there on.
	End int64

	// Err says that the partition can't be read at this offset: a
	// [PartitionError]. Errors that pass never come here.
	Err error
}
