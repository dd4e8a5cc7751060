package fetch

// An Answer is what a [Log] has for its consumer. Exactly one field is set.
type Answer struct {
	// Records are those of one batch that reaches to the offset asked for or
	// beyond.
	Records *Cursor

	// Look is set when the leader told that something about the offset asked for
	// is out of order: the fetch was answered "out of range" (OutOfRange is set,
	// and the offset lies outside [Start, End]), or the topic was created anew
	// (TopicID is another one; from then on the Log is of the new one), or an
	// Again found no batch.
	Look *Look

	// Err says that the partition can't be read at this offset: a
	// [PartitionError]. Errors that pass never come here.
	Err error
}
