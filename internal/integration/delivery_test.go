package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// A delivery is one JSON line of tail.
type delivery struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Offset    int64    `json:"offset"`
	Timestamp int64    `json:"timestamp"`
	Attempt   int      `json:"attempt"`
	Key       content  `json:"key"`
	Value     content  `json:"value"`
	Headers   []header `json:"headers"`
	Failed    bool     `json:"failed"` // it is going to be failed; else it is acked
}

func (d delivery) String() string {
	return fmt.Sprintf("%s/%d@%d, delivery %d", d.Topic, d.Partition, d.Offset, d.Attempt)
}

type header struct {
	Key   string  `json:"key"`
	Value content `json:"value"`
}

// content is the bytes of a key or a value; nil is null.
type content []byte

func (c *content) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case 'n':
		*c = nil
		return nil
	case '"':
		var s string
		err := json.Unmarshal(text, &s)
		*c = content(s)
		return err
	}
	var encoded struct{ Base64 []byte }
	err := json.Unmarshal(text, &encoded)
	*c = encoded.Base64
	return err
}

// parseDeliveries reads the lines of a tail. A last line that isn't whole, as a
// killed process leaves it, is no delivery: it was never acked.
func parseDeliveries(output []byte) ([]delivery, error) {
	var ds []delivery
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(output, []byte("\n"))
		if !whole {
			return ds, nil
		}
		var d delivery
		if err := json.Unmarshal(line, &d); err != nil {
			return ds, fmt.Errorf("line %d: %w: %.200q", n, err, line)
		}
		ds = append(ds, d)
		output = rest
	}
}

func TestParseDeliveries(t *testing.T) {
	text := `{"topic":"t","partition":3,"offset":7,"timestamp":5,"attempt":2,"key":null,"value":"a","headers":[{"key":"h","value":{"base64":"/w=="}}],"failed":true}
{"topic":"t","partition":0,"offset":0,"timestamp":5,"attempt":1,"key":"","value":"b","headers":[]}
{"topic":"t","partition":0,"off`
	ds, err := parseDeliveries([]byte(text))
	if err != nil || len(ds) != 2 {
		t.Fatalf("%d deliveries, error %v; want 2, the last line isn't whole", len(ds), err)
	}
	a, b := ds[0], ds[1]
	if a.Partition != 3 || a.Offset != 7 || a.Attempt != 2 || !a.Failed || a.Key != nil || string(a.Value) != "a" ||
		len(a.Headers) != 1 || string(a.Headers[0].Value) != "\xff" {
		t.Errorf("first: %+v", a)
	}
	if b.Failed || b.Key == nil || len(b.Key) != 0 || string(b.Value) != "b" {
		t.Errorf("second: %+v", b)
	}
	if _, err := parseDeliveries([]byte("x\n")); err == nil {
		t.Error("garbage: no error")
	}
}
