package offsets

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// The acked ranges of a checkpoint have two forms in JSON.
//
// Text: "44-47,50", inclusive ranges in decimal.
//
// Bits: a bitmap in padded standard base64. Bit i of it, least significant bit
// of a byte first, stands for offset + 1 + i. It ends with the byte that holds
// the highest acked offset.

// appendAckedText appends the text form of ranges.
func appendAckedText(b []byte, ranges []Range) []byte {
	for i, r := range ranges {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, r.From, 10)
		if r.Len() > 1 {
			b = append(b, '-')
			b = strconv.AppendInt(b, r.To-1, 10)
		}
	}
	return b
}

// ackedBitsLen returns the length in bytes of the bit form of ranges that end
// at end. It is exact for every end, however far it is.
func ackedBitsLen(offset, end int64) int64 {
	n := end - offset - 1 // bits
	return (n/24 + min(1, n%24)) * 4
}

// appendAckedBits appends the bit form of ranges, which isn't empty.
func appendAckedBits(b []byte, offset int64, ranges []Range) []byte {
	last := ranges[len(ranges)-1].To - offset - 2 // the highest bit
	bitmap := make([]byte, last/8+1)
	for _, r := range ranges {
		for o := r.From; o < r.To; {
			at := o - offset - 1
			n := min(8-at%8, r.To-o) // bits that lie in the same byte
			bitmap[at/8] |= byte(1<<n-1) << (at % 8)
			o += n
		}
	}
	return base64.StdEncoding.AppendEncode(b, bitmap)
}

// parseAckedText reads the text form. What it returns holds for
// [Checkpoint].Acked; ranges that touch are joined.
func parseAckedText(text string, offset int64) ([]Range, error) {
	if text == "" {
		return nil, nil
	}
	ranges := make([]Range, 0, strings.Count(text, ",")+1)
	end := offset + 1 // that a range may start at; offset itself isn't done
	if offset == math.MaxInt64 {
		end = offset
	}
	for item := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(item, "-")
		from, err := parseAckedOffset(low)
		last := from
		if err == nil && isRange {
			last, err = parseAckedOffset(high)
		}
		if err != nil {
			return nil, fmt.Errorf("acked: %s: %w", excerpt([]byte(strconv.Quote(item))), err)
		}
		switch {
		case last < from:
			return nil, fmt.Errorf("acked: %s descends", item)
		case len(ranges) == 0 && from < end:
			return nil, fmt.Errorf("acked: %s isn't above offset %d", item, offset)
		case from < end:
			return nil, fmt.Errorf("acked: %s isn't above what comes before it", item)
		case len(ranges) > 0 && from == end:
			ranges[len(ranges)-1].To = last + 1
		default:
			ranges = append(ranges, Range{from, last + 1})
		}
		end = last + 1
	}
	return ranges, nil
}

// parseAckedOffset reads one offset of the text form: digits only, and one that
// a record can have.
func parseAckedOffset(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, errors.New("want an offset, or two of them joined by -")
	}
	if err != nil || n >= math.MaxInt64 {
		return 0, errors.New("too large")
	}
	return int64(n), nil
}

// parseAckedBits reads the bit form. What it returns holds for
// [Checkpoint].Acked.
func parseAckedBits(text string, offset int64) ([]Range, error) {
	if strings.ContainsAny(text, "\r\n") { // which the decoder would skip
		return nil, errors.New("ackedBits: base64 with a line break in it")
	}
	bitmap, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("ackedBits: %w", err)
	}
	for len(bitmap) > 0 && bitmap[len(bitmap)-1] == 0 {
		bitmap = bitmap[:len(bitmap)-1]
	}
	if len(bitmap) == 0 {
		return nil, nil
	}
	last := int64(8*len(bitmap) - 1 - bits.LeadingZeros8(bitmap[len(bitmap)-1]))
	if last > math.MaxInt64-offset-2 { // offset + 1 + last is no offset of a record
		return nil, fmt.Errorf("ackedBits: bit %d stands for an offset above %d", last, int64(math.MaxInt64-1))
	}

	starts, before := 0, byte(0) // before: the bit below the byte's lowest one
	for _, b := range bitmap {
		starts += bits.OnesCount8(b &^ (b<<1 | before))
		before = b >> 7
	}
	ranges := make([]Range, 0, starts)
	for i, b := range bitmap {
		for at := offset + 1 + int64(8*i); b != 0; {
			gap := bits.TrailingZeros8(b)
			n := bits.TrailingZeros8(^(b >> gap))
			from, to := at+int64(gap), at+int64(gap+n)
			if k := len(ranges) - 1; k >= 0 && ranges[k].To == from {
				ranges[k].To = to
			} else {
				ranges = append(ranges, Range{from, to})
			}
			b &^= byte(1<<n-1) << gap
		}
	}
	return ranges, nil
}
