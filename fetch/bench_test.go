package fetch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/internal/batchtest"
)

// benchSegment returns 64 batches of 150 records of 100 bytes, half of each
// random, as producers of 16 KiB batches write them.
func benchSegment(codec batchtest.Codec) (raw []byte, records int) {
	const batches, perBatch, size = 64, 150, 100
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range batches {
		b := batchtest.Batch{Base: int64(i * perBatch), Codec: codec}
		for d := range perBatch {
			value := make([]byte, size)
			for k := range size / 2 {
				value[k] = byte(rng.Uint32())
			}
			b.Records = append(b.Records, batchtest.Record{Delta: int32(d), TimestampDelta: int64(d), Value: value})
		}
		raw = append(raw, b.Bytes()...)
	}
	return raw, batches * perBatch
}

// BenchmarkDecode is the cost of a record from whole batches in memory: checksum,
// decompression, walk and decoding of each record. kgo is franz-go's on the same
// bytes.
func BenchmarkDecode(b *testing.B) {
	for _, codec := range []batchtest.Codec{batchtest.None, batchtest.LZ4, batchtest.Zstd} {
		raw, n := benchSegment(codec)
		var batches [][]byte
		s, err := readSegment(bytes.NewReader(raw), len(raw), nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, batch := range s.batches {
			batches = append(batches, batch.bytes)
		}
		perRecord := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
		}
		b.Run(fmt.Sprintf("%v/kspout", codec), func(b *testing.B) {
			b.ReportAllocs()
			var sum int
			for b.Loop() {
				got := 0
				for _, raw := range batches {
					c, err := NewCursor(raw, 0, orders3)
					if err != nil {
						b.Fatal(err)
					}
					for {
						_, pos, ok := c.Next()
						if !ok {
							break
						}
						r := c.Batch().Record(pos)
						sum += len(r.Value)
						got++
					}
				}
				if got != n {
					b.Fatalf("%d records, want %d", got, n)
				}
			}
			perRecord(b)
		})
		b.Run(fmt.Sprintf("%v/kgo", codec), func(b *testing.B) {
			b.ReportAllocs()
			d := kgo.DefaultDecompressor()
			var sum int
			for b.Loop() {
				rp := kmsg.NewFetchResponseTopicPartition()
				rp.RecordBatches = raw
				fp, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "orders"}, &rp, d, nil)
				for _, r := range fp.Records {
					sum += len(r.Value)
				}
				if len(fp.Records) != n {
					b.Fatalf("%d records, want %d", len(fp.Records), n)
				}
			}
			perRecord(b)
		})
	}
}
