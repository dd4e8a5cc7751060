package offsets

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEncodedSizeBound acks random windows in random order. What a tracker
// reserved when it took the last record covers every state on the way.
func TestEncodedSizeBound(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		first := rng.Int64N(math.MaxInt64-100_000) >> rng.IntN(60)
		window := 1 + rng.Int64N(1<<rng.IntN(13))
		sparse := rng.IntN(3) > 0
		var pending Set
		for o := first; o < first+window; o++ {
			if !sparse || rng.IntN(50) == 0 {
				pending.Add(o)
			}
		}
		pending.Add(first)
		position := first + window

		c := billing(first)
		c.Owner = &Owner{Member: "host-1", Epoch: 1, Generation: 1}
		base := c.BaseSize()
		c.Broker.Host = strings.Repeat("x", rng.IntN(254))
		if rng.IntN(2) == 0 {
			c.TopicID = someTopicID
			c.LeaderEpoch, c.AckedEpoch = rng.Int32(), rng.Int32()
			c.Owner = &Owner{Member: "host-1", Epoch: rng.Int64(), Generation: rng.Int64()}
		}

		reserved := MaxEncodedAcked(int64(pending.Len()), position-first)
		order := slices.Collect(pending.All())
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		every := 1 + len(order)/20
		for i, o := range order {
			pending.Remove(o)
			if i%every != 0 && i != len(order)-1 {
				continue
			}
			offset, ok := pending.Min()
			if !ok {
				offset = position
			}
			c.Offset, c.Acked = offset, slices.Collect(pending.Gaps(offset, position))
			data, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			limit := MaxEncodedAcked(int64(pending.Len()), position-offset)
			if got := int64(len(data)); got > base+limit || limit > reserved {
				t.Fatalf("%d bytes, base %d, acked %d, reserved %d: %s", got, base, limit, reserved, data)
			}
		}
	}
}

// TestSizeBoundIsTight has the bound be what a worst case takes, to the byte.
func TestSizeBoundIsTight(t *testing.T) {
	c := Checkpoint{
		Partition: orders3, ID: "<billing>", Instance: "i\n", Offset: math.MaxInt64,
		Broker: Broker{strings.Repeat("h", 253), math.MaxInt32}, TopicID: someTopicID,
		LeaderEpoch: math.MaxInt32, AckedEpoch: math.MaxInt32,
		Owner: &Owner{"host-1", math.MinInt64, math.MinInt64},
	}
	size := func() int64 {
		data, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return int64(len(data))
	}
	if got, want := size(), c.BaseSize(); got != want {
		t.Errorf("the largest base takes %d bytes, bound %d", got, want)
	}

	const window = 49 // 48 bits above the offset: 8 characters
	c.Offset = 1 << 60
	for o := c.Offset + 2; o < c.Offset+window; o += 2 {
		c.Acked = append(c.Acked, Range{o, o + 1})
	}
	if got, want := size(), c.BaseSize()+MaxEncodedAcked(24, window); got != want {
		t.Errorf("24 ranges as bits take %d bytes, bound %d", got, want)
	}

	for _, tt := range []struct{ ranges, window, want int64 }{
		{0, 100, 0},
		{5, 0, 0},
		{5, 1, 0},
		{1, 2, 15 + 4},
		{1, 1_000_000, 11 + 40},
		{100, 1_000_000, 11 + 4_000},
		{1_000_000, 1_000_001, 15 + 166_668},
		{math.MaxInt64, math.MaxInt64, 15 + 1537228672809129304},
		{1, math.MaxInt64, 11 + 40},
	} {
		if got := MaxEncodedAcked(tt.ranges, tt.window); got != tt.want {
			t.Errorf("MaxEncodedAcked(%d, %d) = %d, want %d", tt.ranges, tt.window, got, tt.want)
		}
	}
}
