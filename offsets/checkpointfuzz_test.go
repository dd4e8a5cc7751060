package offsets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// ackedModel writes ranges in both forms, offset by offset.
func ackedModel(offset int64, ranges []Range) (text, bits string) {
	var items []string
	var bitmap []byte
	for _, r := range ranges {
		item := fmt.Sprint(r.From)
		if r.Len() > 1 {
			item += fmt.Sprint("-", r.To-1)
		}
		items = append(items, item)
		for o := r.From; o < r.To; o++ {
			at := int(o - offset - 1)
			for len(bitmap) <= at/8 {
				bitmap = append(bitmap, 0)
			}
			bitmap[at/8] |= 1 << (at % 8)
		}
	}
	return strings.Join(items, ","), base64.StdEncoding.EncodeToString(bitmap)
}

// rangesFrom turns a script into acked ranges above offset: gaps and lengths, in
// turn. It stops before an offset that is none.
func rangesFrom(script []byte, offset int64) (ranges []Range) {
	at := offset
	for ; len(script) >= 2; script = script[2:] {
		gap, n := int64(script[0])+1, int64(script[1])/8+1
		if at > math.MaxInt64-gap-n {
			break
		}
		ranges = append(ranges, Range{at + gap, at + gap + n})
		at += gap + n
	}
	return ranges
}

// bound is the size that a tracker reserves for c.
func bound(c Checkpoint) int64 {
	if len(c.Acked) == 0 {
		return c.BaseSize()
	}
	return c.BaseSize() + MaxEncodedAcked(int64(len(c.Acked)), c.Acked[len(c.Acked)-1].To-c.Offset)
}

// FuzzCheckpointRoundTrip encodes any checkpoint and decodes it again.
func FuzzCheckpointRoundTrip(f *testing.F) {
	f.Add("orders", "billing", "orders-7", int64(42), []byte{1, 24, 2, 0}, "10.0.0.1", int32(9092), int32(3), int64(7), "zone", `"a"`)
	f.Add("orders", "", "", int64(math.MaxInt64-500), []byte{0, 255, 0, 255, 0, 0, 0, 0}, "", int32(0), int32(-1), int64(0), "", "")
	f.Add("<o>&", "\u2028\x00", "\"\\/", int64(1<<62), []byte("alternating bytes"), "::1", int32(1), int32(0), int64(-1), "Topic", `{"a": [1e9]}`)
	f.Fuzz(func(t *testing.T, topic, id, instance string, offset int64, script []byte, host string, port, epoch int32, owner int64, key, value string) {
		text := func(s string) string { return strings.ToValidUTF8(s, "?") }
		c := Checkpoint{
			Partition: Partition{text(topic), port & math.MaxInt32}, ID: text(id), Instance: text(instance),
			Offset: offset & math.MaxInt64, Broker: Broker{text(host), port & math.MaxInt32},
			LeaderEpoch: max(epoch, -1), AckedEpoch: max(-epoch, -1),
		}
		c.Acked = rangesFrom(script, c.Offset)
		copy(c.TopicID[:], host)
		if owner != 0 {
			c.Owner = &Owner{Member: text(host), Epoch: owner, Generation: -owner}
		}
		if value = strings.TrimSpace(value); json.Valid([]byte(value)) && text(value) == value && !slices.Contains(checkpointKeys, key) {
			c.Extra = map[string]json.RawMessage{text(key): json.RawMessage(value)}
		}
		data, err := c.Encode()
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got, err := DecodeCheckpoint(data, c.Partition); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("encoded %s\ngot %+v, %v\nwant %+v", data, got, err, c)
		}
		if got, limit := int64(len(data)), bound(c); got > limit {
			t.Fatalf("%d bytes, bound %d: %s", got, limit, data)
		}

		var doc struct{ Acked, AckedBits *string }
		if err := json.Unmarshal(data, &doc); err != nil && c.Extra == nil {
			t.Fatal(err)
		}
		if c.Extra != nil {
			return // which may hold "ACKED"
		}
		wantText, wantBits := ackedModel(c.Offset, c.Acked)
		switch {
		case len(c.Acked) == 0:
			if doc.Acked != nil || doc.AckedBits != nil {
				t.Fatalf("acked in %s", data)
			}
		case len(`"ackedBits":`+wantBits) < len(`"acked":`+wantText):
			if doc.Acked != nil || doc.AckedBits == nil || *doc.AckedBits != wantBits {
				t.Fatalf("encoded %s, want bits %s", data, wantBits)
			}
		default:
			if doc.AckedBits != nil || doc.Acked == nil || *doc.Acked != wantText {
				t.Fatalf("encoded %s, want ranges %s", data, wantText)
			}
		}
	})
}

// FuzzCheckpointDecode decodes any bytes. What decodes must hold what Checkpoint
// promises, and survive being written and read again, unknown keys included.
func FuzzCheckpointDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/checkpoint/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"offset":42,"acked":"44,45-45,46-47,50-9223372036854775806","x":"\ud800"}`))
	f.Add([]byte(`{"offset":9223372036854775800,"ackedBits":"IAAA","broker":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeCheckpoint(data, orders3)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("a message of %d bytes for %d bytes", len(err.Error()), len(data))
			}
			return
		}
		if 2*len(c.Acked) > 8*len(data) {
			t.Fatalf("%d ranges from %d bytes", len(c.Acked), len(data))
		}
		encoded, err := c.Encode()
		if err != nil {
			t.Fatalf("decoded %+v, which can't be encoded: %v", c, err)
		}
		again, err := DecodeCheckpoint(encoded, orders3)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("encoded %s\ngot %+v, %v\nwant %+v", encoded, again, err, c)
		}
		if got, limit := int64(len(encoded)), bound(c); got > limit {
			t.Fatalf("%d bytes, bound %d: %s", got, limit, encoded)
		}

		var before, after map[string]json.RawMessage
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(encoded, &after) != nil {
			t.Fatalf("%s\n%s: not objects", data, encoded)
		}
		for key, value := range before {
			if !slices.Contains(checkpointKeys, key) && string(after[key]) != string(value) {
				t.Fatalf("unknown key %q: was %s, is %s", key, value, after[key])
			}
		}
	})
}
