package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// smallDemo is a demo that takes a second or two. It commits at its ends only, so
// that the crash makes come again whatever was acked before it.
func smallDemo() *demonstration {
	return &demonstration{
		records: 2000, partitions: 4, rate: failRate{rate: 0.05, seed: 1},
		workers: 8, work: time.Millisecond, commit: time.Hour,
	}
}

func TestDemoProves(t *testing.T) {
	var out, err lockedBuffer
	if e := smallDemo().run(t.Context(), &out, &err); e != nil {
		t.Fatalf("%v; stderr:\n%s", e, err.String())
	}
	all := lines(out.String())
	var p proof
	if e := json.Unmarshal([]byte(all[len(all)-1]), &p); e != nil {
		t.Fatal(e)
	}
	if p.Records != 2000 || p.Lost != 0 || p.Deliveries < 2050 || !reflect.DeepEqual(p.Stored, map[string][]int64{"demo": {500, 500, 500, 500}}) {
		t.Errorf("it proved %+v", p)
	}
	if p.RedeliveredAfterAck < 800 {
		t.Errorf("%d were delivered again after their ack, want at least the 800 before the crash", p.RedeliveredAfterAck)
	}
	if got, want := strings.Join(keysOf(t, out.String()), " "), "records deliveries redelivered_after_ack lost stored"; got != want {
		t.Errorf("the keys are %s, want %s", got, want)
	}
	for _, want := range []string{"crashes", "starts again", "2000 of 2000 acked"} {
		if !strings.Contains(err.String(), want) {
			t.Errorf("stderr doesn't tell %q:\n%s", want, err.String())
		}
	}
}

// keysOf returns the keys of a JSON object in their order.
func keysOf(t *testing.T, doc string) (keys []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	depth := 0
	for {
		tok, err := d.Token()
		if err != nil {
			return keys
		}
		if s, ok := tok.(string); ok && depth == 1 {
			keys = append(keys, s)
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func TestLedgerFindsWhatIsMissing(t *testing.T) {
	l := newLedger([]int64{2, 2})
	l.acked[0][0], l.acked[0][1], l.acked[1][0], l.done, l.deliveries = true, true, true, 3, 3
	ends := []int64{2, 2}
	if p, ok := l.prove("demo", ends, []int64{2, 2}); ok || p.Lost != 1 {
		t.Errorf("with a record not acked: %+v, %t; want 1 lost", p, ok)
	}
	l.acked[1][1], l.done = true, 4
	if p, ok := l.prove("demo", ends, []int64{2, 1}); ok || p.Lost != 0 {
		t.Errorf("with a record not committed: %+v, %t; want a failure", p, ok)
	}
	if _, ok := l.prove("demo", ends, []int64{2, 3}); ok {
		t.Errorf("with more committed than there is: no failure")
	}
	if p, ok := l.prove("demo", ends, []int64{2, 2}); !ok {
		t.Errorf("with all done: %+v, want a proof", p)
	}
	l.beyond = 1
	if _, ok := l.prove("demo", ends, []int64{2, 2}); ok {
		t.Errorf("with a record that nobody produced: no failure")
	}
}

func TestDemoInterrupted(t *testing.T) {
	v := begin(t, nil, "demo")
	v.until("progress", func() bool { return strings.Contains(v.err.String(), "acked") })
	v.cancel()
	if code := v.end(); code != exitInterrupted || v.out.String() != "" {
		t.Errorf("interrupted, it ended with %d and wrote %q, want %d and nothing", code, v.out, exitInterrupted)
	}
}
