package offsets

import (
	"cmp"
	"errors"
	"fmt"
)

// NoVersion is the version of a partition for which nothing is stored.
const NoVersion int32 = -1

// A Stored is what a store holds for one partition.
type Stored struct {
	Partition Partition

	// Path says where it is stored, for messages.
	Path string

	// Version is that of the stored value, or [NoVersion] if there is none: a zero
	// Stored stands for a value, of version 0. A
	// write names the version it replaces; a successful one makes it
	// Version + 1 ([NoVersion] + 1 for the first). ZooKeeper's rule.
	Version int32

	// Checkpoint is the stored value. Meaningful if Version isn't NoVersion and
	// Err is nil.
	Checkpoint Checkpoint

	// Err is an [UnreadableError] if the stored value isn't a checkpoint.
	Err error
}

// A Write is one checkpoint to be stored, in the place of the value whose
// version is Version.
type Write struct {
	Checkpoint Checkpoint
	Version    int32
}

// ErrFenced means that somebody else moved the stored offset of a partition:
// the stored version isn't the one that the write expected. Match with
// [errors.Is]; the error is a [FencedError].
var ErrFenced = errors.New("offsets: fenced by another writer")

// A FencedError says who wrote in our place.
type FencedError struct {
	Partition Partition
	Path      string
	// Writer describes the other writer, as far as what it stored tells: its
	// ids, its owner, its offset.
	Writer string
}

func (e *FencedError) Error() string {
	s := "offsets: " + cmp.Or(e.Path, e.Partition.String()) + " was written by another"
	if e.Writer != "" {
		s += ": " + e.Writer
	}
	return s
}

// Is reports whether target is [ErrFenced].
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// ErrUnreadable means that what is stored for a partition isn't a checkpoint.
// Nothing was overwritten. Match with [errors.Is]; the error is an
// [UnreadableError].
var ErrUnreadable = errors.New("offsets: unreadable state")

// An UnreadableError says what is wrong with a stored value, and where it is.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("offsets: %s isn't a checkpoint: %v; repair or delete it", e.Path, e.Err)
}

// Is reports whether target is [ErrUnreadable].
func (e *UnreadableError) Is(target error) bool { return target == ErrUnreadable }

func (e *UnreadableError) Unwrap() error { return e.Err }
