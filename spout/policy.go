package spout

import (
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// A Backoff says how long a failed record waits for its next delivery.
type Backoff = offsets.Backoff

// An OutOfRangePolicy says what open does about a stored offset that isn't in the
// log. It acts at open only.
type OutOfRangePolicy int8

const (
	// ResetEarliest goes on at the log start. Below it, nothing that still
	// exists is skipped; above the log end, where the log was cut and its
	// history is unknown, all that exists comes again.
	ResetEarliest OutOfRangePolicy = iota

	// ResetLatest goes on at the log end if the stored offset lies above it, and
	// counts what exists as dropped. Below the log start it is ResetEarliest.
	ResetLatest

	// StopOutOfRange stops the partition with [ErrOutOfRange]; nothing changes.
	StopOutOfRange
)

func (p OutOfRangePolicy) String() string {
	switch p {
	case ResetEarliest:
		return "earliest"
	case ResetLatest:
		return "latest"
	case StopOutOfRange:
		return "error"
	}
	return fmt.Sprintf("OutOfRangePolicy(%d)", int8(p))
}

// An UndecodablePolicy says what becomes of a record that the [Scheme] can't
// decode.
type UndecodablePolicy int8

const (
	// SkipUndecodable passes it over; it is counted as dropped.
	SkipUndecodable UndecodablePolicy = iota

	// FailUndecodable fails it, as if it had been emitted: it comes again after
	// its delay, up to MaxAttempts times.
	FailUndecodable
)

func (p UndecodablePolicy) String() string {
	switch p {
	case SkipUndecodable:
		return "skip"
	case FailUndecodable:
		return "fail"
	}
	return fmt.Sprintf("UndecodablePolicy(%d)", int8(p))
}
