package fetch

import (
	"fmt"

	"github.com/kspout/kspout/offsets"
)

// A Cursor walks the records of one batch, lowest offset first, from the first
// record at or above the offset asked for. Not safe for concurrent use.
//
// It checks each record as it goes: what Next gave, [Batch.Record] reads without
// failing. A control batch, a batch of an aborted transaction (under read
// committed) and an empty batch are cursors without records: they prove that
// their span of offsets holds nothing to deliver.
type Cursor struct {
	batch *Batch
	part  offsets.Partition
	from  int64 // offset asked for; behind the record given last
	end   int64

	at   int   // index in the batch's body of the next record to check
	left int32 // records from at on
	// last is the highest offset delta met, -1 before the first record.
	// Invariant: deltas are strictly ascending and base + delta < end.
	last int32

	// ahead: offset and pos are those of the record that Next will return.
	ahead  bool
	offset int64
	pos    int32

	err error
}

// Batch returns the batch that the cursor walks. Its records may be kept when
// the cursor has moved on.
func (c *Cursor) Batch() *Batch { return c.batch }

// End returns one past the last offset that the batch proves: every offset from
// the one asked for up to End for which no record comes holds none.
func (c *Cursor) End() int64 { return c.end }

// Left bounds the number of records that Next has still to return.
func (c *Cursor) Left() int {
	if c.ahead {
		return int(c.left) + 1
	}
	return int(c.left)
}

// Err returns the [PartitionError] that ended the walk early, or nil. The
// records given before it are right.
func (c *Cursor) Err() error { return c.err }

// Peek returns the offset of the record that Next would return, and false if
// there is none: the batch is through, or Err says why not.
func (c *Cursor) Peek() (offset int64, ok bool) {
	if !c.ahead && !c.advance() {
		return 0, false
	}
	return c.offset, true
}

// Next returns the offset of the next record and its position in the batch, and
// false where Peek is.
func (c *Cursor) Next() (offset int64, pos int32, ok bool) {
	if !c.ahead && !c.advance() {
		return 0, 0, false
	}
	c.ahead, c.from = false, c.offset+1
	return c.offset, c.pos, true
}

// advance checks records up to the next one at or above from.
func (c *Cursor) advance() bool {
	if c.err != nil {
		return false
	}
	for c.left > 0 {
		offset, pos, ok := c.check()
		if !ok {
			c.fail("malformed record")
			return false
		}
		if offset >= c.from {
			c.offset, c.pos, c.ahead = offset, pos, true
			return true
		}
	}
	if c.at != len(c.batch.body) {
		c.fail("more bytes than records")
	}
	return false
}

// check checks the record at c.at and moves behind it.
func (c *Cursor) check() (offset int64, pos int32, ok bool) {
	body := c.batch.body
	size, i := varint32(body, c.at)
	// The first byte of a record is its attributes, which mean nothing.
	if i < 0 || size < 1 || int(size) > len(body)-i {
		return 0, 0, false
	}
	end := i + int(size)
	delta, ok := checkRecord(body, i+1, end)
	offset = c.batch.base + int64(delta)
	if !ok || delta <= c.last || offset >= c.end {
		return 0, 0, false
	}
	c.at, c.last = end, delta
	c.left--
	return offset, int32(i + 1), true
}

// skipTo makes the cursor go on at the first record at or above offset, which is
// not below a record that it gave.
func (c *Cursor) skipTo(offset int64) {
	c.from = max(c.from, offset)
	if c.ahead && c.offset < c.from {
		c.ahead = false
	}
}

func (c *Cursor) fail(what string) {
	offset := max(c.from, c.batch.base+int64(c.last)+1)
	c.err = &PartitionError{c.part, offset, fmt.Errorf("%w: %s", ErrCorrupt, what)}
}

// NewCursor decodes raw, one whole batch of any format as it stands in a log,
// for who asked for the offset from. It checks the checksum, decompresses, and
// leaves the records for the cursor to check. The batch may keep raw, which must
// not be modified any more. What is wrong is a [PartitionError] of p.
//
// Whether a batch belongs to an aborted transaction isn't told by its bytes:
// here it doesn't.
func NewCursor(raw []byte, from int64, p offsets.Partition) (*Cursor, error) {
	return defaultDecoder().decode(rawBatch{bytes: raw}, from, p)
}

// A decoder turns raw batches into cursors. Safe for concurrent use.
type decoder struct {
	inflater *inflater
}

// decode is NewCursor of what was fetched. The records of an aborted batch are
// left out.
func (d *decoder) decode(b rawBatch, from int64, p offsets.Partition) (*Cursor, error) {
	c, err := d.cursor(b, from, p)
	if err == nil {
		return c, nil
	}
	offset := from
	if len(b.bytes) >= lengthEnd {
		offset = max(offset, parseBase(b.bytes))
	}
	return nil, &PartitionError{p, offset, err}
}

func (d *decoder) cursor(b rawBatch, from int64, p offsets.Partition) (*Cursor, error) {
	raw := b.bytes
	if len(raw) < prefixSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(raw))
	}
	if len(raw) > maxPos {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(raw))
	}
	switch magic := int8(raw[prefixSize-1]); magic {
	case 0, 1:
		return d.message(raw, from, p)
	case 2:
	default:
		return nil, fmt.Errorf("%w: format %d", ErrUnsupported, magic)
	}
	if len(raw) < headerSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(raw))
	}
	h := parseHeader(raw)
	if !b.checked {
		if err := h.check(raw); err != nil {
			return nil, err
		}
	}
	c := &Cursor{
		batch: &Batch{
			base:           h.base,
			firstTimestamp: h.firstTimestamp,
			leaderEpoch:    h.leaderEpoch,
			stamped:        h.attributes.logAppendTime(),
			stamp:          h.maxTimestamp,
		},
		part: p,
		from: from,
		end:  h.end(),
		last: -1,
	}
	body, codec := raw[headerSize:], h.attributes.codec()
	empty := b.aborted || h.attributes.control() || h.count == 0
	if codec != codecNone && !empty {
		var err error
		if body, err = d.inflater.inflate(codec, body); err != nil {
			return nil, err
		}
	}
	if codec == codecNone || !empty {
		if err := h.checkCount(len(body)); err != nil {
			return nil, err
		}
	}
	if empty {
		return c, nil
	}
	c.batch.body, c.left = body, h.count
	return c, nil
}
