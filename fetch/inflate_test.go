package fetch

import (
	"strings"
	"testing"

	"github.com/kspout/kspout/internal/batchtest"
)

// A batch that inflates past the cap is refused, and no more memory than the cap
// is taken for it.
func TestInflateCap(t *testing.T) {
	d := &decoder{newInflater(1 << 20)}
	for _, codec := range batchtest.Codecs[1:] {
		at := batchtest.Of(40, strings.Repeat("0", 1<<20-20)).With(codec).Bytes()
		c, err := d.decode(rawBatch{bytes: at}, 40, orders3)
		if err != nil {
			t.Fatalf("%v: just under the cap: %v", codec, err)
		}
		if rs := drain(c); len(rs) != 1 || len(rs[0].Value) != 1<<20-20 || c.Err() != nil {
			t.Errorf("%v: %d records, %v", codec, len(rs), c.Err())
		}
		bomb := batchtest.Of(40, strings.Repeat("0", 1<<20)).With(codec).Bytes()
		_, err = d.decode(rawBatch{bytes: bomb}, 40, orders3)
		checkPartitionError(t, err, ErrTooLarge, 40)
	}
}

// A batch pins its own bytes and hardly more, whatever it inflates to.
func TestBatchSize(t *testing.T) {
	for _, codec := range batchtest.Codecs {
		for _, size := range []int{100, 10_000, 1_000_000, 20_000_000} {
			c := mustCursor(t, batchtest.Of(0, strings.Repeat("0", size)).With(codec).Bytes(), 0)
			if got := c.Batch().Size(); got < size || got > size+size/4+1000 {
				t.Errorf("%v: Size = %d for a value of %d", codec, got, size)
			}
		}
	}
}
