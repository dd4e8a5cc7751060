package fetch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/internal/batchtest"
)

// decoded is what a decoder made of a segment.
type decoded struct {
	records []Record
	next    int64 // the offset to ask for next
	err     error
}

// decodeSegment reads raw as the answer to a fetch at from, the way a Log does.
func decodeSegment(raw []byte, from int64, aborted []abortedTxn) decoded {
	s, err := readSegment(bytes.NewReader(raw), len(raw), newAborter(aborted))
	if err != nil {
		return decoded{next: from, err: err}
	}
	// From what is read ahead, some batches fitting into it, the same comes.
	ahead, err := readSegment(bufio.NewReaderSize(bytes.NewReader(raw), 256), len(raw), newAborter(aborted))
	if err != nil || !reflect.DeepEqual(ahead, s) {
		return decoded{next: from, err: fmt.Errorf("read ahead: %d batches, cut %d, %v; want %d, cut %d", len(ahead.batches), ahead.cut, err, len(s.batches), s.cut)}
	}
	d := decoded{next: from}
	for _, b := range s.batches {
		c, err := defaultDecoder().decode(b, d.next, orders3)
		if err != nil {
			d.err = err
			return d
		}
		for {
			offset, pos, ok := c.Next()
			if !ok {
				break
			}
			d.records = append(d.records, c.Batch().Record(pos))
			d.next = offset + 1
		}
		if d.err = c.Err(); d.err != nil {
			return d
		}
		d.next = max(d.next, c.End())
	}
	return d
}

// oracle decodes the same with franz-go.
func oracle(raw []byte, from int64, aborted []abortedTxn, isolation kgo.IsolationLevel) decoded {
	rp := kmsg.NewFetchResponseTopicPartition()
	rp.Partition = orders3.Number
	rp.RecordBatches = raw
	for _, a := range aborted {
		t := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
		t.ProducerID, t.FirstOffset = a.producer, a.first
		rp.AbortedTransactions = append(rp.AbortedTransactions, t)
	}
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: from, IsolationLevel: isolation, Topic: orders3.Topic, Partition: orders3.Number,
	}, &rp, kgo.DefaultDecompressor(), nil)
	d := decoded{next: next, err: fp.Err}
	for _, r := range fp.Records {
		out := Record{Offset: r.Offset, Timestamp: r.Timestamp, Key: r.Key, Value: r.Value}
		for _, h := range r.Headers {
			out.Headers = append(out.Headers, Header{h.Key, h.Value})
		}
		d.records = append(d.records, out)
	}
	return d
}

func equalRecord(a, b Record) bool {
	same := func(x, y []byte) bool { return bytes.Equal(x, y) && (x == nil) == (y == nil) }
	if b.Timestamp.IsZero() {
		b.Timestamp = time.UnixMilli(-1) // how Kafka's own client says that there is none
	}
	// franz-go counts in nanoseconds, in which far timestamps overflow.
	nanos := time.Unix(0, a.Timestamp.UnixMilli()*int64(time.Millisecond))
	if a.Offset != b.Offset || !nanos.Equal(b.Timestamp) || !same(a.Key, b.Key) || !same(a.Value, b.Value) || len(a.Headers) != len(b.Headers) {
		return false
	}
	for i := range a.Headers {
		if a.Headers[i].Key != b.Headers[i].Key || !same(a.Headers[i].Value, b.Headers[i].Value) {
			return false
		}
	}
	return true
}

// compare says where got, ours, differs from want, the oracle's. Where the bytes
// are wrong the oracle is more lenient: it takes what it can of a batch, passes
// over what is cut and doesn't check that offsets ascend. Then ours must be an
// error, and what was delivered before it the same.
func compare(got, want decoded) error {
	if got.err == nil && (want.err != nil || got.next != want.next || len(got.records) != len(want.records)) {
		return fmt.Errorf("%d records, next %d, nil; want %d, %d, %v", len(got.records), got.next, len(want.records), want.next, want.err)
	}
	if len(got.records) > len(want.records) && want.err == nil {
		return fmt.Errorf("%d records, want at most %d", len(got.records), len(want.records))
	}
	for i, r := range got.records[:min(len(got.records), len(want.records))] {
		if !equalRecord(r, want.records[i]) {
			return fmt.Errorf("record %d: %+v, want %+v", i, r, want.records[i])
		}
	}
	return nil
}

// logs are segments with all that a real log has.
func logs() map[string][]byte {
	out := map[string][]byte{}
	rich := batchtest.Batch{Base: 10, FirstTimestamp: 1700000000000, LeaderEpoch: 3, Records: []batchtest.Record{
		{Delta: 0, Key: []byte("k"), Value: []byte("v"), Headers: []batchtest.Header{{Key: "h", Value: []byte("1")}, {Key: "h"}}},
		{Delta: 3, TimestampDelta: 5, Value: []byte{}},
		{Delta: 4, TimestampDelta: -9, Key: []byte{}},
	}}
	for _, codec := range batchtest.Codecs {
		stamped := rich.With(codec)
		stamped.Base, stamped.LogAppendTime = 20, true
		out[codec.String()] = batchtest.Join(rich.With(codec), stamped, batchtest.Of(30, strings.Repeat("abc", 300)).With(codec))
	}
	out["compacted"] = batchtest.Join(batchtest.Of(10, "a", "b").Spanning(15), batchtest.Of(16).Spanning(19), batchtest.Of(20, "c"), batchtest.Of(21).Spanning(30))
	out["transactions"] = batchtest.Join(
		batchtest.Of(10, "c").In(1), batchtest.Of(11, "a").In(2), batchtest.Marker(12, 1, true), batchtest.Of(13, "a").In(2), batchtest.Of(14, "plain"),
		batchtest.Marker(15, 2, false), batchtest.Of(16, "c").In(2), batchtest.Marker(17, 2, true), batchtest.Of(18, "a").In(1), batchtest.Marker(19, 1, false),
		batchtest.Of(20, "a").In(2), batchtest.Marker(21, 2, false), batchtest.Of(22, "open").In(1))
	var old []byte
	for _, m := range []batchtest.Message{
		{Magic: 0, Offset: 10, Value: []byte("v")},
		{Magic: 0, Offset: 12, Codec: batchtest.Gzip, Inner: set(0, 11, 12)},
		{Magic: 1, Offset: 13, Timestamp: 5, Key: []byte("k")},
		{Magic: 1, Offset: 20, Timestamp: 5, Codec: batchtest.Snappy, Inner: set(1, 0, 2, 6)},
	} {
		old = append(old, m.Bytes()...)
	}
	out["old"] = append(old, batchtest.Of(21, "new").Bytes()...)
	whole := out["none"]
	out["cut"] = append(bytes.Clone(whole), batchtest.Of(31, "cut off").Bytes()[:40]...)
	out["empty"] = nil
	return out
}

// abortedOf are the aborted transactions of logs()["transactions"], unsorted.
var abortedOf = []abortedTxn{{2, 20}, {1, 18}, {2, 11}}

func TestOracle(t *testing.T) {
	for name, log := range logs() {
		for from := int64(9); from < 24; from++ {
			raw, aborted := log, abortedOf
			if name == "transactions" {
				raw, aborted = brokerAnswer(log, from)
			}
			got, want := decodeSegment(raw, from, aborted), oracle(raw, from, aborted, kgo.ReadCommitted())
			if err := compare(got, want); err != nil || got.err != nil {
				t.Errorf("%s from %d: %v, %v", name, from, err, got.err)
			}
			got, want = decodeSegment(raw, from, nil), oracle(raw, from, nil, kgo.ReadUncommitted())
			if err := compare(got, want); err != nil || got.err != nil {
				t.Errorf("%s from %d, uncommitted: %v, %v", name, from, err, got.err)
			}
		}
	}
}

// brokerAnswer returns what a broker sends of logs()["transactions"]: the batches from
// from on, and the aborted transactions that didn't end before.
func brokerAnswer(log []byte, from int64) ([]byte, []abortedTxn) {
	for len(log) > 0 && parseHeader(log).end() <= from {
		log = log[lengthEnd+parseHeader(log).length:]
	}
	var aborted []abortedTxn
	for _, a := range abortedOf {
		if marker := map[int64]int64{20: 21, 18: 19, 11: 15}[a.first]; marker >= from {
			aborted = append(aborted, a)
		}
	}
	return log, aborted
}

// kafka-go#1332 and franz-go 1.21.4: only what was committed comes, whatever the
// order of the list.
func TestAbortedTransactions(t *testing.T) {
	got := decodeSegment(logs()["transactions"], 10, abortedOf)
	if o := offsetsOf(got.records); o != "10 14 16 22" || got.next != 23 || got.err != nil {
		t.Errorf("offsets %q, next %d, %v; want 10 14 16 22, 23, nil", o, got.next, got.err)
	}
}

func TestSegmentTail(t *testing.T) {
	raw := batchtest.Of(0, "a").Bytes()
	for n := range len(raw) {
		s, err := readSegment(bytes.NewReader(raw), n, nil)
		want := 0
		if n >= prefixSize {
			want = len(raw)
		}
		if err != nil || len(s.batches) != 0 || s.cut != want {
			t.Fatalf("%d of %d bytes: %d batches, cut %d, %v; want none, %d, nil", n, len(raw), len(s.batches), s.cut, err, want)
		}
		if _, err := readSegment(bufio.NewReader(bytes.NewReader(raw[:n])), len(raw), nil); err == nil {
			t.Fatalf("no error from a stream read ahead that ends %d bytes into %d", n, len(raw))
		}
		if _, err := readSegment(bytes.NewReader(raw[:n]), len(raw), nil); err == nil {
			t.Fatalf("no error from a stream that ends %d bytes into %d", n, len(raw))
		}
	}
}

// FuzzDecode decodes mutated segments: no panic, no memory beyond what the bytes
// may stand for, and the same as franz-go decodes.
func FuzzDecode(f *testing.F) {
	for _, raw := range logs() {
		f.Add(raw, int64(10), uint8(0), true)
		f.Add(raw, int64(12), uint8(3), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, from int64, abort uint8, fix bool) {
		if from < 0 {
			return
		}
		if fix {
			fixChecksums(raw)
		}
		var aborted []abortedTxn
		isolation := kgo.ReadUncommitted()
		if abort&1 != 0 {
			aborted, isolation = abortedOf[:min(int(abort>>1), len(abortedOf))], kgo.ReadCommitted()
			from = 0 // the oracle doesn't see markers below from, which no broker sends
		}
		got, want := decodeSegment(raw, from, aborted), oracle(raw, from, aborted, isolation)
		failed := got.err
		if passedUnopened(raw, aborted) {
			// The oracle opens it, and may stumble.
			want.records = want.records[:min(len(want.records), len(got.records))]
			got.records = got.records[:len(want.records)]
			got.next, got.err = want.next, want.err
		}
		if err := compare(got, want); err != nil {
			t.Fatal(err)
		}
		if pe, ok := errors.AsType[*PartitionError](failed); failed != nil && (!ok || pe.Partition != orders3 || pe.Offset < from) {
			t.Fatalf("error %v, want one of %v at %d or above", failed, orders3, from)
		}
	})
}

// passedUnopened reports whether there is a batch of which nothing is to be
// delivered. Ours takes its header's word for the offsets that it spans.
func passedUnopened(raw []byte, aborted []abortedTxn) bool {
	s, err := readSegment(bytes.NewReader(raw), len(raw), newAborter(aborted))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.batches, func(b rawBatch) bool {
		if len(b.bytes) < headerSize {
			return false
		}
		h := parseHeader(b.bytes)
		return b.aborted || h.attributes.control() || h.count == 0
	})
}

// fixChecksums makes the checksums of all whole batches right, so that what lies
// behind them is reached.
func fixChecksums(raw []byte) {
	for len(raw) >= headerSize {
		size := lengthEnd + int64(int32(binary.BigEndian.Uint32(raw[8:])))
		if size < headerSize || size > int64(len(raw)) {
			return
		}
		if raw[prefixSize-1] == 2 {
			binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[crcEnd:size], castagnoli))
		} else {
			binary.BigEndian.PutUint32(raw[12:], crc32.ChecksumIEEE(raw[crcMessageEnd:size]))
		}
		raw = raw[size:]
	}
}
