package spout

import (
	"errors"
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// Conditions that a caller may branch on. Match them with [errors.Is].
var (
	// ErrTimeout is why a delivery failed that was out for [Config].Timeout.
	ErrTimeout = errors.New("spout: delivery timed out")

	// ErrOutOfRange means that a stored offset isn't in the log, and that
	// [Config].OnOutOfRange says to stop then. Nothing was changed.
	ErrOutOfRange = errors.New("spout: stored offset out of range")

	// ErrFenced means that somebody else moved the stored offset of a partition,
	// which has stopped. The error names the writer.
	ErrFenced = offsets.ErrFenced

	// ErrUnreadable means that what is stored for a partition isn't a checkpoint.
	// Nothing was overwritten. The error names its path.
	ErrUnreadable = offsets.ErrUnreadable
)

// A ConfigError reports one unusable field of a [Config].
type ConfigError struct {
	Field  string
	Reason string
}

func (e *ConfigError) Error() string { return "spout: Config." + e.Field + " " + e.Reason }

// A RecordError ties a failure to the record that it is about.
type RecordError struct {
	Partition offsets.Partition
	Offset    int64
	Err       error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("spout: %s@%d: %v", e.Partition, e.Offset, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// A PartitionError ties a failure to the partition that it stopped.
type PartitionError struct {
	Partition offsets.Partition
	Err       error
}

func (e *PartitionError) Error() string {
	if c, ok := e.Err.(*CommitError); ok {
		return c.Error() // it names the partition already
	}
	return fmt.Sprintf("spout: %s: %v", e.Partition, e.Err)
}

func (e *PartitionError) Unwrap() error { return e.Err }

// A CommitError says that the offset of a partition was not stored. What was done
// since the commit before will come again after a restart.
type CommitError struct {
	Partition offsets.Partition
	Err       error
}

func (e *CommitError) Error() string {
	return fmt.Sprintf("spout: %s: commit: %v", e.Partition, e.Err)
}

func (e *CommitError) Unwrap() error { return e.Err }

// A PanicError is a panic of the user's code, contained.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("spout: panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// isFinal reports whether trying again can't help against an error of open.
func isFinal(err error) bool {
	return errors.Is(err, ErrFenced) || errors.Is(err, ErrOutOfRange) || errors.Is(err, ErrUnreadable)
}
