package spout

import (
	"context"

	"github.com/kspout/kspout/offsets"
)

// A Store keeps the checkpoints of partitions. [github.com/kspout/kspout/zkstate.Store]
// is the one that is used where [Config].Store is nil.
//
// All methods may be called concurrently, but for one partition at most one
// Save at a time.
type Store interface {
	// Load reads what is stored for each of ps, in their order. What can't be
	// read as a checkpoint is told by the Err of its element; the error of Load
	// itself means that the store didn't answer before ctx ended.
	Load(ctx context.Context, ps []offsets.Partition) ([]offsets.Stored, error)

	// Save stores each of ws in the place of the version that it names, and
	// returns an error for each, in their order, nil where it is stored. A value
	// that somebody else replaced is a [offsets.FencedError]. Save waits for an
	// unreachable store as long as ctx lets it. The slice is the caller's again
	// when Save returns.
	Save(ctx context.Context, ws []offsets.Write) []error

	// MaxBytes is the largest checkpoint, encoded, that Save takes.
	MaxBytes() int
}
