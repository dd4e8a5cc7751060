package spout

import (
	"time"

	"github.com/kspout/kspout/fetch"
)

// A Header is one header of a record. Keys may repeat.
type Header = fetch.Header

// A Record is what a [Scheme] decodes. Its bytes belong to the batch that the
// record came in: they must not be modified, and may be kept.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	Timestamp time.Time
	Key       []byte // nil: null
	Value     []byte // nil: null, a tombstone
	Headers   []Header
}

// A Scheme turns a record into tuples: it calls emit once for each, during
// Decode, with the value that [Tuple.Decoded] is to return. A record that yields
// none is done at once; one that yields several is done when all of them are
// acked, and fails as a whole.
//
// What a record yields depends on the record alone. An error, or a panic, makes
// the record undecodable, and nothing of it is emitted: see
// [Config].OnUndecodable. Decode is called by one goroutine per partition, so
// by several at once.
type Scheme interface {
	Decode(r *Record, emit func(v any)) error
}

// SchemeFunc makes a function a [Scheme].
type SchemeFunc func(r *Record, emit func(v any)) error

// Decode calls f.
func (f SchemeFunc) Decode(r *Record, emit func(v any)) error { return f(r, emit) }
