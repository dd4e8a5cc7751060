package offsets

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

var orders3 = Partition{Topic: "orders", Number: 3}

// billing is what the golden files have in common.
func billing(offset int64) Checkpoint {
	return Checkpoint{
		Partition: orders3, ID: "billing", Instance: "orders-7", Offset: offset,
		Broker: Broker{Host: "10.0.0.1", Port: 9092}, LeaderEpoch: -1, AckedEpoch: -1,
	}
}

var someTopicID = TopicID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "checkpoint", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCheckpointGoldenFiles(t *testing.T) {
	acked := billing(42)
	acked.Acked = []Range{{44, 48}, {50, 51}}
	acked.TopicID, acked.LeaderEpoch, acked.AckedEpoch = someTopicID, 3, 4

	bits := billing(42)
	for o := int64(44); o < 68; o += 2 {
		bits.Acked = append(bits.Acked, Range{o, o + 1})
	}
	bits.Acked = append(bits.Acked[:len(bits.Acked)-1], Range{66, 68})
	bits.TopicID, bits.LeaderEpoch, bits.AckedEpoch = someTopicID, 3, 3

	all := acked
	all.AckedEpoch = 3
	all.Owner = &Owner{Member: "host-1", Epoch: 8589934610, Generation: 7}
	all.Extra = map[string]json.RawMessage{
		"Offset": json.RawMessage(`"not the offset"`),
		"a":      json.RawMessage(`[1, 2.50,{"b":null}]`),
		"zone":   json.RawMessage(`null`),
	}

	for name, want := range map[string]Checkpoint{
		"plain.json":      billing(0),
		"acked.json":      acked,
		"acked-bits.json": bits,
		"all-keys.json":   all,
	} {
		t.Run(name, func(t *testing.T) {
			data := golden(t, name)
			got, err := DecodeCheckpoint(data, orders3)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("decoded %+v, %v\nwant %+v", got, err, want)
			}
			encoded, err := want.Encode()
			if err != nil || string(encoded) != string(data) {
				t.Errorf("encoded %s, %v\nwant %s", encoded, err, data)
			}
		})
	}
}

// TestCheckpointOfStorm reads what storm-kafka writes (json-simple: no spaces,
// "/" and some other characters escaped), and writes it back as it is but for
// the key that it lacks.
func TestCheckpointOfStorm(t *testing.T) {
	tests := []struct {
		file string
		want Checkpoint
	}{
		{"storm-kafka.json", Checkpoint{
			Partition: orders3, ID: "word-count", Instance: "9d0f1a52-4c3e-4a5e-8a10-3a1f6f1c9d27", Offset: 4285,
			Broker: Broker{Host: "kafka1.example.com", Port: 9092}, LeaderEpoch: -1, AckedEpoch: -1,
		}},
		{"storm-kafka-escapes.json", Checkpoint{
			Partition: orders3, ID: "\u0080 na\"\u2013ïve/\\", Instance: "word/count-7-1456", Offset: math.MaxInt64,
			Broker: Broker{Host: "10.0.0.1", Port: 9092}, LeaderEpoch: -1, AckedEpoch: -1,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			data := golden(t, tt.file)
			got, err := DecodeCheckpoint(data, orders3)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Fatalf("decoded %+v, %v\nwant %+v", got, err, tt.want)
			}
			encoded, err := got.Encode()
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimSuffix(string(data), "}") + `,"format":1}`
			want = strings.NewReplacer(`\/`, `/`, `\u0080`, "\u0080", `\u2013`, "\u2013").Replace(want)
			if string(encoded) != want {
				t.Errorf("encoded %s\nwant %s", encoded, want)
			}
		})
	}
}

func TestDecodeCheckpointIsLiberal(t *testing.T) {
	with := func(change func(*Checkpoint)) Checkpoint {
		c := Checkpoint{Partition: orders3, Offset: 42, LeaderEpoch: -1, AckedEpoch: -1}
		change(&c)
		return c
	}
	none := with(func(*Checkpoint) {})
	acked := with(func(c *Checkpoint) { c.Acked = []Range{{44, 48}, {50, 51}} })
	tests := []struct {
		name, data string
		want       Checkpoint
	}{
		{"offset alone", `{"offset":42}`, none},
		{"space around and within", " {\n\t\"offset\" : 42 }\r\n", none},
		{"null is absent", `{"topology":null,"offset":42,"partition":null,"broker":null,"topic":null,"format":null,"acked":null,
			"ackedBits":null,"topicId":null,"leaderEpoch":null,"ackedEpoch":null,"owner":null}`, none},
		{"null inside", `{"topology":{"id":null,"name":null},"offset":42,"broker":{"host":null,"port":null}}`, none},
		{"nothing inside", `{"topology":{},"offset":42,"broker":{}}`, none},
		{"unknown keys inside", `{"topology":{"version":[2]},"offset":42,"broker":{"rack":"a"}}`, none},
		{"offset last", `{"acked":"44-47,50","offset":42}`, acked},
		{"ranges that touch", `{"offset":42,"acked":"44,45-45,46-47,50"}`, acked},
		{"no ranges", `{"offset":42,"acked":""}`, none},
		{"bits with zeros behind", `{"offset":42,"ackedBits":"ngAAAAA="}`, acked},
		{"no bits", `{"offset":42,"ackedBits":"AAAA"}`, none},
		{"one form null", `{"offset":42,"acked":null,"ackedBits":"ng=="}`, acked},
		{"acked without format", `{"offset":42,"acked":"44-47,50","format":1}`, acked},
		{"zero topic id", `{"offset":42,"topicId":"AAAAAAAAAAAAAAAAAAAAAA"}`, none},
		{"the widest range", `{"offset":42,"acked":"44-9223372036854775806"}`,
			with(func(c *Checkpoint) { c.Acked = []Range{{44, math.MaxInt64}} })},
		{"keys are case-sensitive", `{"OFFSET":1,"offset":42}`,
			with(func(c *Checkpoint) { c.Extra = map[string]json.RawMessage{"OFFSET": json.RawMessage("1")} })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecodeCheckpoint([]byte(tt.data), orders3)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("decoded %s\ngot %+v, %v\nwant %+v", tt.data, got, err, tt.want)
			}
		})
	}
}

func TestDecodeCheckpointRefuses(t *testing.T) {
	tests := []struct{ data, want string }{
		{``, "no bytes"},
		{`garbage`, "not JSON"},
		{"{\"offset\":42,\"topic\":\"\xff\"}", "not UTF-8"},
		{"\ufeff{\"offset\":42}", "not JSON"},
		{`{"offset":42}{}`, "not JSON"},
		{`{"offset":42`, "not JSON"},
		{`{"offset":42,}`, "not JSON"},
		{`{"offset":042}`, "not JSON"},
		{`[42]`, "want an object, not [42]"},
		{`null`, "want an object, not null"},
		{`42`, "want an object, not 42"},
		{`{}`, "offset: missing"},
		{`{"offset":null}`, "offset: missing"},
		{`{"Offset":42}`, "offset: missing"},
		{`{"offset":-1}`, "offset: want an integer from 0 to 9223372036854775807, not -1"},
		{`{"offset":42.0}`, "offset: want an integer"},
		{`{"offset":4e1}`, "offset: want an integer"},
		{`{"offset":"42"}`, "offset: want an integer"},
		{`{"offset":9223372036854775808}`, "offset: want an integer"},
		{`{"offset":[]}`, "offset: want an integer"},
		{`{"offset":42,"offset":42}`, `"offset" comes twice`},
		{`{"offset":42,"x":1,"\u0078":2}`, `"x" comes twice`},
		{`{"offset":42,"topology":{"id":"a","id":"b"}}`, `topology: "id" comes twice`},
		{`{"offset":42,"topology":"a"}`, `topology: want an object, not "a"`},
		{`{"offset":42,"topology":{"id":7}}`, "topology: id: want a string, not 7"},
		{`{"offset":42,"topology":{"name":[]}}`, "topology: name: want a string"},
		{`{"offset":42,"broker":"10.0.0.1:9092"}`, "broker: want an object"},
		{`{"offset":42,"broker":{"port":"9092"}}`, "broker: port: want an integer"},
		{`{"offset":42,"broker":{"host":1}}`, "broker: host: want a string"},
		{`{"offset":42,"partition":4}`, "partition: 4, want 3"},
		{`{"offset":42,"partition":"3"}`, "partition: want an integer"},
		{`{"offset":42,"partition":4294967299}`, "partition: want an integer"},
		{`{"offset":42,"topic":"payments"}`, `topic: "payments", want "orders"`},
		{`{"offset":42,"topic":1}`, "topic: want a string"},
		{`{"format":2,"offset":{"new":"shape"}}`, "format: 2, from a newer version"},
		{`{"offset":{"new":"shape"},"format":2}`, "format: 2, from a newer version"},
		{`{"offset":42,"format":0}`, "format: want an integer from 1"},
		{`{"offset":42,"format":"1"}`, "format: want an integer from 1"},
		{`{"offset":42,"topicId":"AAECAwQFBgcICQoLDA0OD"}`, "topicId: want 22 characters"},
		{`{"offset":42,"topicId":"AAECAwQFBgcICQoLDA0ODx"}`, "topicId: want 22 characters"},
		{`{"offset":42,"topicId":5}`, "topicId: want 22 characters"},
		{`{"offset":42,"leaderEpoch":-1}`, "leaderEpoch: want an integer from 0"},
		{`{"offset":42,"ackedEpoch":2147483648}`, "ackedEpoch: want an integer from 0"},
		{`{"offset":42,"owner":"host-1"}`, "owner: want an object"},
		{`{"offset":42,"owner":{"member":"host-1","epoch":1}}`, "owner: generation: missing"},
		{`{"offset":42,"owner":{"member":"host-1","epoch":1,"generation":null}}`, "owner: generation: missing"},
		{`{"offset":42,"owner":{"member":"host-1","epoch":1.5,"generation":1}}`, "owner: epoch: want an integer"},

		{`{"offset":42,"acked":[44]}`, "acked: want a string"},
		{`{"offset":42,"acked":"44","ackedBits":"ng=="}`, "both acked and ackedBits"},
		{`{"offset":42,"acked":"42"}`, "acked: 42 isn't above offset 42"},
		{`{"offset":42,"acked":"1-50"}`, "acked: 1-50 isn't above offset 42"},
		{`{"offset":42,"acked":"47-44"}`, "acked: 47-44 descends"},
		{`{"offset":42,"acked":"44-47,46"}`, "acked: 46 isn't above what comes before it"},
		{`{"offset":42,"acked":"50,44"}`, "acked: 44 isn't above what comes before it"},
		{`{"offset":42,"acked":"44-"}`, `acked: "44-": want an offset`},
		{`{"offset":42,"acked":"-44"}`, `acked: "-44": want an offset`},
		{`{"offset":42,"acked":"44-45-46"}`, `acked: "44-45-46": want an offset`},
		{`{"offset":42,"acked":"44, 45"}`, `acked: " 45": want an offset`},
		{`{"offset":42,"acked":"+44"}`, `acked: "+44": want an offset`},
		{`{"offset":42,"acked":"44,"}`, `acked: "": want an offset`},
		{`{"offset":42,"acked":"0x2d"}`, `acked: "0x2d": want an offset`},
		{`{"offset":42,"acked":"44-9223372036854775807"}`, "too large"},
		{`{"offset":42,"acked":"44-99999999999999999999"}`, "too large"},
		{`{"offset":9223372036854775807,"acked":"9223372036854775806"}`, "isn't above offset 9223372036854775807"},

		{`{"offset":42,"ackedBits":5}`, "ackedBits: want a string"},
		{`{"offset":42,"ackedBits":"ng"}`, "ackedBits: illegal base64"},
		{`{"offset":42,"ackedBits":"n_=="}`, "ackedBits: illegal base64"},
		{`{"offset":42,"ackedBits":"nh=="}`, "ackedBits: illegal base64"},
		{`{"offset":42,"ackedBits":"ng==\n"}`, "ackedBits: base64 with a line break"},
		{`{"offset":9223372036854775800,"ackedBits":"IA=="}`, ""}, // offset + 6, the highest of all
		{`{"offset":9223372036854775800,"ackedBits":"QA=="}`, "ackedBits: bit 6 stands for an offset above 9223372036854775806"},
		{`{"offset":9223372036854775807,"ackedBits":"AQ=="}`, "ackedBits: bit 0 stands for"},
	}
	for _, tt := range tests {
		c, err := DecodeCheckpoint([]byte(tt.data), orders3)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.data, err)
		case tt.want != "" && err == nil:
			t.Errorf("%s: decoded %+v, want an error with %q", tt.data, c, tt.want)
		case tt.want != "" && !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s: %q, want %q in it", tt.data, err, tt.want)
		}
	}
}

func TestEncodeCheckpointRefuses(t *testing.T) {
	ranges := func(rs ...Range) func(*Checkpoint) { return func(c *Checkpoint) { c.Acked = rs } }
	extra := func(key, value string) func(*Checkpoint) {
		return func(c *Checkpoint) { c.Extra = map[string]json.RawMessage{key: json.RawMessage(value)} }
	}
	tests := []struct {
		change func(*Checkpoint)
		want   string
	}{
		{func(c *Checkpoint) { c.Offset = -1 }, "offset -1 is negative"},
		{func(c *Checkpoint) { c.Partition.Number = -1 }, "partition -1 is negative"},
		{func(c *Checkpoint) { c.Broker.Port = -1 }, "broker port -1 is negative"},
		{func(c *Checkpoint) { c.Partition.Topic = "\xff" }, "topic \"\\xff\" isn't UTF-8"},
		{func(c *Checkpoint) { c.ID = "\xff" }, "id \"\\xff\" isn't UTF-8"},
		{func(c *Checkpoint) { c.Owner = &Owner{Member: "\xff"} }, "member \"\\xff\" isn't UTF-8"},
		{extra("\xff", "1"), "extra key \"\\xff\" isn't UTF-8"},
		{extra("x", "\"\xff\""), `extra key "x": its value isn't JSON`},
		{extra("x", ""), `extra key "x": its value isn't JSON`},
		{extra("x", `1,"offset":2`), `extra key "x": its value isn't JSON`},
		{extra("acked", `"44"`), `extra key "acked" is one of the form's own`},
		{ranges(Range{42, 44}), "acked range [42,44) isn't above offset 42"},
		{ranges(Range{1, 4}), "acked range [1,4) isn't above offset 42"},
		{ranges(Range{44, 44}), "acked range [44,44) is empty"},
		{ranges(Range{44, 46}, Range{46, 47}), "acked range [46,47) isn't above the one before it, and apart from it"},
		{ranges(Range{44, 46}, Range{45, 47}), "acked range [45,47) isn't above the one before it"},
	}
	for _, tt := range tests {
		c := billing(42)
		tt.change(&c)
		data, err := c.Encode()
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "offsets: checkpoint of ") {
			t.Errorf("encoded %s, %v; want an error with %q", data, err, tt.want)
		}
	}
}

// TestDecodeCheckpointMemory decodes what a hostile or broken writer could
// store.
func TestDecodeCheckpointMemory(t *testing.T) {
	const size = 64 << 10
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var singles, keys strings.Builder
	for o := 44; singles.Len() < size; o += 2 {
		fmt.Fprintf(&singles, "%d,", o)
	}
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, `,"%d":0`, i)
	}
	for name, data := range map[string]string{
		"one wide range":  `{"offset":0,"acked":"2-9223372036854775806"}`,
		"many ranges":     `{"offset":42,"acked":"` + strings.TrimSuffix(singles.String(), ",") + `"}`,
		"every other bit": `{"offset":42,"ackedBits":"` + repeat("qqqq") + `"}`,
		"all bits":        `{"offset":42,"ackedBits":"` + repeat("////") + `"}`,
		"commas":          `{"offset":42,"acked":"` + repeat(",") + `"}`,
		"many keys":       `{"offset":42` + keys.String() + `}`,
		"deep":            `{"offset":42,"x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
		"too deep":        `{"offset":42,"x":` + repeat("[") + repeat("]") + `}`,
		"spaces":          `{"offset":42,"x":` + repeat(" ") + `0}`,
		"long string":     `{"offset":"` + repeat("9") + `"}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := DecodeCheckpoint([]byte(data), orders3)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d bytes: allocated %d: %.60v", name, len(data), allocated, err)
		if limit := uint64(128*len(data) + 64<<10); allocated > limit {
			t.Errorf("%s: %d bytes: allocated %d, want at most %d", name, len(data), allocated, limit)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
		}
	}
}
