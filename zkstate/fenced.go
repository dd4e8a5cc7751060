package zkstate

import (
	"fmt"
	"strings"

	"github.com/kspout/kspout/offsets"
)

// fenced is the error of an item in whose place got was stored, or whose node
// is missing.
func (it *item) fenced(got *GetResponse, missing bool) error {
	return &offsets.FencedError{Partition: it.partition, Path: it.path, Writer: it.writer(got, missing)}
}

// writer describes who wrote, as far as what is stored tells.
func (it *item) writer(got *GetResponse, missing bool) string {
	if missing {
		return fmt.Sprintf("somebody deleted the node (version %d was expected)", it.version)
	}
	versions := fmt.Sprintf("version %d is stored, %d was expected", got.Stat.Version, it.version)
	if it.version == offsets.NoVersion {
		versions = fmt.Sprintf("version %d is stored, none was expected", got.Stat.Version)
	}
	c, err := offsets.DecodeCheckpoint(got.Data, it.partition)
	if err != nil {
		return fmt.Sprintf("somebody, what isn't a checkpoint (%v); %s", err, versions)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "instance %q of %q", c.Instance, c.ID)
	if o := c.Owner; o != nil {
		fmt.Fprintf(&b, ", member %q (epoch %d, generation %d)", o.Member, o.Epoch, o.Generation)
	}
	fmt.Fprintf(&b, ", at offset %d; %s", c.Offset, versions)
	return b.String()
}
