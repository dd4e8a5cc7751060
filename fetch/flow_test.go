package fetch

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

func orders(n int32) offsets.Partition { return offsets.Partition{Topic: "orders", Number: n} }

// kafka-go#621, #1416 and sarama#3221: what compaction left is passed in single
// steps, with no request more than it takes.
func TestCompactedLog(t *testing.T) {
	for _, codec := range []batchtest.Codec{batchtest.None, batchtest.Zstd} {
		t.Run(codec.String(), func(t *testing.T) {
			s := scripted(t, 1)
			s.logs[0] = []batchtest.Batch{
				batchtest.Of(0).Spanning(2),
				batchtest.Of(3, "a", "b").With(codec).Spanning(8),
				batchtest.Of(9).Spanning(19),
				batchtest.Of(20, "c").With(codec),
				batchtest.Of(21).Spanning(29),
			}
			x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
			if got := offsetsOf(x.until(t, 30)); got != "3 4 20" {
				t.Errorf("offsets %q, want 3 4 20", got)
			}
			time.Sleep(300 * time.Millisecond) // three long polls
			got := slices.Compact(s.requests(0))
			if want := []int64{0, 3, 9, 20, 21, 30}; !slices.Equal(got, want) {
				t.Errorf("asked for %v, want %v", got, want)
			}
			if n := len(s.requests(0)); n > len(got)+6 {
				t.Errorf("%d requests, want one a batch and one a long poll", n)
			}
		})
	}
}

// kafka-go#874: the batch that holds the offset asked for begins below it.
func TestBatchBelowTheOffset(t *testing.T) {
	s := scripted(t, 1)
	s.logs[0] = []batchtest.Batch{batchtest.Of(0, "a", "b", "c", "d"), batchtest.Of(4, "e")}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 2)
	if got := offsetsOf(x.until(t, 5)); got != "2 3 4" {
		t.Errorf("offsets %q, want 2 3 4", got)
	}
}

// kafka-go#1438, #913 and zip bombs: a broken batch stops its partition, at a
// place that the error names, and no other.
func TestBrokenPartition(t *testing.T) {
	count := batchtest.Of(2, "x")
	count.Count = new(int32(-1))
	flipped := batchtest.Of(2, "some value").With(batchtest.LZ4)
	flipped.BadCRC = true
	short := batchtest.Of(2, "x")
	short.Length = new(int32(3))
	magic := batchtest.Of(2, "x")
	magic.Magic = new(int8(9))
	for name, tt := range map[string]struct {
		bad  batchtest.Batch
		want error
	}{
		"count -1":       {count, ErrCorrupt},
		"flipped bit":    {flipped, ErrCorrupt},
		"length 3":       {short, ErrCorrupt},
		"format 9":       {magic, ErrUnsupported},
		"bomb":           {batchtest.Of(2, strings.Repeat("0", 2<<20)).With(batchtest.Zstd), ErrTooLarge},
		"bomb in xerial": {batchtest.Of(2, strings.Repeat("0", 2<<20)).With(batchtest.Xerial), ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted(t, 2)
			s.raw[0] = batchtest.Join(batchtest.Of(0, "a", "b"), tt.bad, batchtest.Of(3, "behind"))
			s.logs[1] = []batchtest.Batch{batchtest.Of(0, "a"), batchtest.Of(1, "b"), batchtest.Of(2, "c")}
			c := New(s.config())
			c.decoder = &decoder{newInflater(1 << 20)}
			defer run(c)()
			good, bad := open(t, c, orders(1), offsets.TopicID{}, 0), open(t, c, orders(0), offsets.TopicID{}, 0)
			if got := offsetsOf(bad.until(t, 2)); got != "0 1" {
				t.Errorf("offsets %q, want 0 1", got)
			}
			for range 2 { // it stays broken
				err := bad.take(t).Err
				if pe, ok := errors.AsType[*PartitionError](err); !ok || !errors.Is(err, tt.want) || pe.Offset != 2 || pe.Partition != orders(0) {
					t.Errorf("error %v, want %v of orders/0@2", err, tt.want)
				}
			}
			good.until(t, 3)
			s.set(func() { s.logs[1] = append(s.logs[1], batchtest.Of(3, "d")) })
			good.until(t, 4)
			if err := bad.againAt(t, 2).Err; !errors.Is(err, tt.want) {
				t.Errorf("again: %v, want %v", err, tt.want)
			}
		})
	}
}

// Only what was committed is delivered; markers are passed, so that the position
// reaches the end.
func TestReadCommitted(t *testing.T) {
	s := scripted(t, 1)
	s.raw[0] = batchtest.Join(
		batchtest.Of(0, "a", "b").In(7), batchtest.Marker(2, 7, true),
		batchtest.Of(3, "c", "d").In(7), batchtest.Marker(5, 7, false),
		batchtest.Of(6, "e").In(7), batchtest.Marker(7, 7, true))
	s.aborted = []abortedTxn{{7, 3}}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	if got := offsetsOf(x.until(t, 8)); got != "0 1 6" {
		t.Errorf("offsets %q, want 0 1 6", got)
	}
	cfg := s.config()
	cfg.Isolation = ReadUncommitted
	x = open(t, start(t, cfg), orders(0), offsets.TopicID{}, 0)
	if got := offsetsOf(x.until(t, 8)); got != "0 1 3 4 6" {
		t.Errorf("uncommitted: offsets %q, want 0 1 3 4 6", got)
	}
}

// Brokers from 2.4 on: the version is what both sides speak, and topics go by id
// where they can.
func TestOldBrokers(t *testing.T) {
	for name, tt := range map[string]struct {
		versions *kversion.Versions
		fetch    int16
		ids      bool
	}{
		"2.4": {kversion.V2_4_0(), 11, false},
		"2.7": {kversion.V2_7_0(), 12, false},
		"2.8": {kversion.V2_8_0(), 12, true},
		"3.1": {kversion.V3_1_0(), 13, true},
		"3.9": {kversion.V3_9_0(), 17, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted(t, 1, kfake.MaxVersions(tt.versions))
			s.logs[0] = []batchtest.Batch{batchtest.Of(0, "a"), batchtest.Of(1, "b")}
			c := start(t, s.config())
			x := open(t, c, orders(0), offsets.TopicID{}, 0)
			x.until(t, 2)
			x.againAt(t, 1)
			look, err := c.Look(t.Context(), orders(0))
			if err != nil || look.TopicID.IsZero() == tt.ids {
				t.Errorf("look %+v, %v; want topic ids: %t", look, err, tt.ids)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.versions[tt.fetch] || len(s.versions) != 1 && len(s.versions) != 2 {
				t.Errorf("fetch versions %v, want %d", s.versions, tt.fetch)
			}
		})
	}
}

// An idle partition costs about one request per MaxWait (kafka-go#270).
func TestIdle(t *testing.T) {
	s := scripted(t, 2)
	c := start(t, s.config())
	a, b := open(t, c, orders(0), offsets.TopicID{}, 5), open(t, c, orders(1), offsets.TopicID{}, 5)
	a.log.Take(5)
	b.log.Take(5)
	time.Sleep(time.Second)
	if n := len(s.requests(0)); n < 5 || n > 14 {
		t.Errorf("%d requests in 1s of long polls of 100ms", n)
	}
}

// The broker's wish to be left alone is granted.
func TestThrottle(t *testing.T) {
	s := scripted(t, 1)
	s.throttle = 300
	for o := range int64(4) {
		s.logs[0] = append(s.logs[0], batchtest.Of(o, "a"))
	}
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.until(t, 4)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, at := range s.at[1:] {
		if d := at.Sub(s.at[i]); d < 290*time.Millisecond {
			t.Errorf("request %d came %v after the one before, want 300ms", i+1, d)
		}
	}
}

// An answer that holds less than a batch makes the next request larger.
func TestBatchLargerThanAskedFor(t *testing.T) {
	s := scripted(t, 1)
	whole := batchtest.Of(0, strings.Repeat("v", 3<<20)).Bytes()
	s.raw[0] = whole[:1<<20]
	cfg := s.config()
	cfg.MaxPartitionBytes = 1 << 20
	x := open(t, start(t, cfg), orders(0), offsets.TopicID{}, 0)
	x.log.Take(0)
	deadline := time.Now().Add(patience)
	for {
		s.mu.Lock()
		sizes := slices.Clone(s.sizes[0])
		if len(sizes) > 1 && int(sizes[len(sizes)-1]) >= len(whole) {
			s.raw[0] = whole
			s.mu.Unlock()
			break
		}
		s.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatalf("asked for %v bytes, want %d", sizes, len(whole))
		}
		time.Sleep(10 * time.Millisecond)
	}
	if rs := x.until(t, 1); len(rs) != 1 || len(rs[0].Value) != 3<<20 {
		t.Errorf("%d records, want that of 3 MiB", len(rs))
	}
}

// Out of range at an offset in range isn't believed: it's asked again, with
// delays, and nothing is reset.
func TestOutOfRangeInRange(t *testing.T) {
	s := scripted(t, 1)
	cl := producer(t, s.cluster.ListenAddrs())
	produce(t, cl, orders(0), 10)
	s.code[0] = 1
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 5)
	x.silent(t, time.Second)
	if n := len(s.requests(0)); n < 3 || n > 10 {
		t.Errorf("%d requests in 1s, want a few, ever rarer", n)
	}
	s.set(func() {
		delete(s.code, 0)
		s.logs[0] = []batchtest.Batch{batchtest.Of(5, "a")}
	})
	x.until(t, 6)
}
