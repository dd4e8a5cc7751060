package integration

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestRealSizes reads a null, an empty, a small and a large value, each several
// times, and keys and headers likewise: all come as they were written.
func TestRealSizes(t *testing.T) {
	s := shared(t)
	topic := fresh("sizes")
	const large = 5 << 20
	s.topic(t, topic, 1, map[string]string{"max.message.bytes": "8388608"})
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, large) // which no codec makes smaller, and is no UTF-8
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	text := bytes.Repeat([]byte("0123456789"), large/10)
	var want []*kgo.Record
	for range 3 {
		want = append(want,
			&kgo.Record{Value: nil, Key: []byte("tombstone")},
			&kgo.Record{Value: []byte{}, Key: []byte{}},
			&kgo.Record{Value: text},
			&kgo.Record{Value: []byte("small"), Headers: []kgo.RecordHeader{{Key: "h", Value: nil}, {Key: "h", Value: []byte{}}, {Key: "h", Value: []byte{0xff}}}},
			&kgo.Record{Value: noise},
		)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := s.client(t, kgo.ProducerBatchMaxBytes(7<<20), kgo.DefaultProduceTopic(topic))
	if err := c.ProduceSync(ctx, want...).FirstErr(); err != nil {
		t.Fatal(err)
	}

	tl := s.startTail(t, topic, unlimited, "-e")
	tl.exits(0)
	got := tl.deliveries()
	if len(got) != len(want) {
		t.Fatalf("%d deliveries, want %d", len(got), len(want))
	}
	for i, d := range got {
		w := want[i]
		if !same(d.Key, w.Key) || !same(d.Value, w.Value) {
			t.Errorf("%v: key of %d bytes (null: %t), value of %d (null: %t); want %d (%t), %d (%t)", d,
				len(d.Key), d.Key == nil, len(d.Value), d.Value == nil, len(w.Key), w.Key == nil, len(w.Value), w.Value == nil)
		}
		if len(d.Headers) != len(w.Headers) {
			t.Errorf("%v: %d headers, want %d", d, len(d.Headers), len(w.Headers))
			continue
		}
		for j, h := range d.Headers {
			if h.Key != w.Headers[j].Key || !same(h.Value, w.Headers[j].Value) {
				t.Errorf("%v: header %d is %+v, want %+v", d, j, h, w.Headers[j])
			}
		}
	}
	if err := checkComplete(s.stored(t, topic, 1), []int64{int64(len(want))}); err != nil {
		t.Error(err)
	}
}

// same tells null from empty.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }
