package spout

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// A benchSource is an endless log of batches of 1,000 records of 100 bytes, which
// cost little to make.
type benchSource struct {
	raw []byte
	cur *fetch.Cursor
}

const benchBatch = 1000

func newBenchSource() *benchSource {
	b := batchtest.Batch{}
	for i := range benchBatch {
		b.Records = append(b.Records, batchtest.Record{Delta: int32(i), Value: make([]byte, 100)})
	}
	return &benchSource{raw: b.Bytes()}
}

func (s *benchSource) Leader() (offsets.Broker, int32) { return offsets.Broker{}, -1 }

func (s *benchSource) Again(int64) (fetch.Answer, bool) { return fetch.Answer{}, false }

func (s *benchSource) Take(from int64) (fetch.Answer, bool) {
	if s.cur == nil || from >= s.cur.End() {
		raw := slices.Clone(s.raw)
		binary.BigEndian.PutUint64(raw, uint64(from)) // the checksum doesn't cover it
		c, err := fetch.NewCursor(raw, from, scenarioPartition)
		if err != nil {
			panic(err)
		}
		s.cur = c
	}
	return fetch.Answer{Records: s.cur, Start: -1, End: -1}, true
}

func benchManager(b *testing.B, maxPending int) *partitionManager {
	m, _, _ := openScripted(b, 1<<40, func(o *managerOptions, _ *scriptLog) { o.maxPending = maxPending })
	m.source = newBenchSource()
	return m
}

func (m *partitionManager) mustNext(b *testing.B) *Tuple {
	ts, err := m.next(b.Context())
	if err != nil || len(ts) != 1 {
		b.Fatal(len(ts), err)
	}
	return &ts[0]
}

// BenchmarkManager is what a record costs from the fill to the ack, with acks in
// the callback, without the network.
func BenchmarkManager(b *testing.B) {
	b.ReportAllocs()
	m := benchManager(b, 0)
	for b.Loop() {
		m.mustNext(b).Ack()
	}
}

// BenchmarkManagerAtTheBound is what a record costs when as many as MaxPending
// allows are out, and are acked one by one, in order and at random: linear, however
// many there are (STORM-3222).
func BenchmarkManagerAtTheBound(b *testing.B) {
	for _, order := range []string{"in-order", "random"} {
		for _, bound := range []int{100, 1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", order, bound), func(b *testing.B) {
				b.ReportAllocs()
				m := benchManager(b, bound)
				rng := rand.New(rand.NewPCG(1, 2))
				out := make([]*Tuple, bound)
				for i := range out {
					out[i] = m.mustNext(b)
				}
				at := 0
				for b.Loop() {
					if at++; at >= bound {
						at = 0
					}
					i := at
					if order == "random" {
						i = rng.IntN(bound)
					}
					out[i].Ack()
					out[i] = m.mustNext(b)
				}
			})
		}
	}
}
