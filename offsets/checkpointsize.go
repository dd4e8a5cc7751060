package offsets

import (
	"math"
	"strings"
)

// BaseSize returns the most bytes that [Checkpoint.Encode] takes for anything
// but Acked, for any checkpoint with the Partition, ID, Instance and Extra of c,
// and with its Owner's Member. The broker counts with a host name of 253 bytes,
// the longest there is (RFC 1035), or c's if that is longer.
func (c Checkpoint) BaseSize() int64 {
	c.Offset = math.MaxInt64
	c.Acked = nil
	c.TopicID = TopicID{1}
	c.LeaderEpoch, c.AckedEpoch = math.MaxInt32, math.MaxInt32
	c.Broker.Port = math.MaxInt32
	if len(appendJSONString(nil, c.Broker.Host)) < maxHost+quotes {
		c.Broker.Host = strings.Repeat("h", maxHost)
	}
	if c.Owner != nil {
		c.Owner = &Owner{Member: c.Owner.Member, Epoch: math.MinInt64, Generation: math.MinInt64}
	}
	return int64(len(c.append(nil)))
}

const maxHost = 253 // bytes

// MaxEncodedAcked returns the most bytes that [Checkpoint.Encode] takes for
// Acked, where Acked consists of at most ranges ranges, all of them in
// [Offset, Offset+window). With [Checkpoint.BaseSize] it bounds the whole.
//
// What is done in [Offset, position) is, run by run, what lies between a pending
// offset and the next one: as many pending offsets, so many ranges at most. So
// the bound never grows by an ack, nor as Offset moves on to a given position.
func MaxEncodedAcked(ranges, window int64) int64 {
	if ranges <= 0 || window <= 1 {
		return 0
	}
	size := int64(len(ackedBitsKey)+quotes) + ackedBitsLen(0, window)
	if ranges <= size/maxRangeText { // else the text is longer, and may overflow
		size = min(size, int64(len(ackedKey)+quotes)+ranges*maxRangeText)
	}
	return size
}

// maxRangeText is the length in bytes of the longest range, with the comma.
const maxRangeText = int64(len("9223372036854775807-9223372036854775807,"))
