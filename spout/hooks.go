package spout

import (
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/kspout/kspout/offsets"
)

// contained returns hooks whose panics are logged, and end there: they are called
// by goroutines that others depend on.
func (e Events) contained(log *zerolog.Logger) Events {
	e.Opened = containHook(log, e.Opened)
	e.Closed = containHook(log, e.Closed)
	e.Failed = containHook(log, e.Failed)
	e.Dropped = containHook(log, e.Dropped)
	e.Lost = containHook(log, e.Lost)
	e.Truncated = containHook(log, e.Truncated)
	e.Recreated = containHook(log, e.Recreated)
	e.Committed = containHook(log, e.Committed)
	e.TooManyFailures = containHook(log, e.TooManyFailures)
	if f := e.Stopped; f != nil {
		e.Stopped = func(p offsets.Partition, err error) {
			defer logPanic(log)
			f(p, err)
		}
	}
	return e
}

func containHook[T any](log *zerolog.Logger, f func(T)) func(T) {
	if f == nil {
		return nil
	}
	return func(v T) {
		defer logPanic(log)
		f(v)
	}
}

func logPanic(log *zerolog.Logger) {
	if p := recover(); p != nil {
		log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a hook of Events panicked")
	}
}
