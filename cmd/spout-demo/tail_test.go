package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kspout/kspout/spouttest"
)

// A shown is a JSON line, read back.
type shown struct {
	Topic     string
	Partition int32
	Offset    int64
	Timestamp int64
	Attempt   int
	Key       any
	Value     any
	Headers   []struct{ Key, Value any }
	Failed    bool
}

func readShown(t *testing.T, out string) []shown {
	t.Helper()
	var all []shown
	for _, l := range lines(out) {
		var s shown
		if err := json.Unmarshal([]byte(l), &s); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		all = append(all, s)
	}
	return all
}

func TestTailJSON(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	when := time.UnixMilli(1700000000123)
	fill(t, c, "t", 0,
		spouttest.Record{Value: []byte("v"), Timestamp: when},
		spouttest.Record{Key: []byte("k"), Timestamp: when},
		spouttest.Record{Key: []byte{}, Value: []byte{}, Timestamp: when},
		spouttest.Record{Value: []byte("\xff"), Timestamp: when, Headers: []spouttest.Header{{Key: "a", Value: []byte("1")}, {Key: "b"}}},
	)
	const head = `{"topic":"t","partition":0,"offset":%d,"timestamp":1700000000123,"attempt":1,`
	want := fmt.Sprintf(head+`"key":null,"value":"v","headers":[]}
`+head+`"key":"k","value":null,"headers":[]}
`+head+`"key":"","value":"","headers":[]}
`+head+`"key":null,"value":{"base64":"/w=="},"headers":[{"key":"a","value":"1"},{"key":"b","value":null}]}
`, 0, 1, 2, 3)
	if got := ok(t, "", at(c, "tail", "-t", "t", "-e", "--output", "json")...); got != want {
		t.Errorf("it wrote\n%s want\n%s", got, want)
	}
	if got := storedOffset(t, c, "spout-demo", "t", 0); got != 4 {
		t.Errorf("stored offset %d, want 4", got)
	}
	// Started again, there is nothing left.
	if got := ok(t, "", at(c, "tail", "-t", "t", "-e", "--output", "json")...); got != "" {
		t.Errorf("started again, it wrote %q", got)
	}
	// Another consumer starts from the start.
	if got := ok(t, "", at(c, "tail", "-t", "t", "-e", "-f", `%o:%k:%v;`, "--id", "other")...); got != "0::v;1:k:;2::;3::\xff;" {
		t.Errorf("as another, it wrote %q", got)
	}
}

func TestTailStarts(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	for i := range 10 {
		fill(t, c, "t", 0, spouttest.Record{Value: []byte(itoa(i)), Timestamp: time.UnixMilli(1_700_000_000_000 + int64(i)*1000)})
	}
	for i, tt := range []struct{ from, want string }{
		{"start", "0123456789"}, {"end", ""}, {"7", "789"}, {"-3", "789"}, {"-100", "0123456789"}, {"-0", ""},
		{"@1700000008000", "89"}, {"@1700000007001", "89"}, {"@0", "0123456789"}, {"@1800000000000", ""}, {"100", ""},
	} {
		if got := ok(t, "", at(c, "tail", "-t", "t", "-e", "-f", "%v", "-o", tt.from, "--id", "c"+itoa(i))...); got != tt.want {
			t.Errorf("-o %s wrote %q, want %q", tt.from, got, tt.want)
		}
	}
}

func TestTailCount(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 2}})
	fill(t, c, "t", 0, numbered(50)...)
	fill(t, c, "t", 1, numbered(50)...)
	seen := map[string]int{}
	for range 4 {
		out := lines(ok(t, "", at(c, "tail", "-t", "t", "-n", "20", "-f", `%p/%o\n`)...))
		if len(out) != 20 {
			t.Fatalf("-n 20 wrote %d lines", len(out))
		}
		for _, l := range out {
			seen[l]++
		}
		if got := storedOffset(t, c, "spout-demo", "t", 0) + storedOffset(t, c, "spout-demo", "t", 1); got > int64(len(seen)) {
			t.Errorf("stored offsets add up to %d, with %d records shown", got, len(seen))
		}
	}
	if len(seen) != 80 {
		t.Errorf("4 runs of -n 20 showed %d records, want 80: each goes on where the last one ended", len(seen))
	}
	if out := lines(ok(t, "", at(c, "tail", "-t", "t", "-e")...)); len(out) != 20 {
		t.Errorf("-e after them wrote %d lines, want 20", len(out))
	}
}

func TestTailCountWithFails(t *testing.T) {
	for _, workers := range []string{"", "3"} {
		c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 2}})
		fill(t, c, "t", 0, numbered(200)...)
		fill(t, c, "t", 1, numbered(200)...)
		args := at(c, "tail", "-t", "t", "-n", "100", "--output", "json", "--fail-rate", "0.3", "--seed", "5")
		if workers != "" {
			args = append(args, "--workers", workers)
		}
		first, acked := 0, 0
		for _, s := range readShown(t, ok(t, "", args...)) {
			if s.Attempt == 1 {
				first++
			}
			if !s.Failed {
				acked++
			}
		}
		if first != 100 || acked != 100 {
			t.Errorf("workers %q: %d first deliveries and %d that weren't failed, want 100 of each", workers, first, acked)
		}
	}
}

func TestTailFailsAsTheSeedSays(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 3}})
	for p := range int32(3) {
		fill(t, c, "t", p, numbered(100)...)
	}
	failed := func(id, seed string) []string {
		var fs []string
		acks := map[string]int{}
		for _, s := range readShown(t, ok(t, "", at(c, "tail", "-t", "t", "-e", "--output", "json", "--fail-rate", "0.2", "--seed", seed, "--id", id)...)) {
			at := fmt.Sprintf("%d/%d#%d", s.Partition, s.Offset, s.Attempt)
			if s.Failed {
				fs = append(fs, at)
			} else {
				acks[fmt.Sprintf("%d/%d", s.Partition, s.Offset)]++
			}
			if l := (line{topic: s.Topic, partition: s.Partition, offset: s.Offset, attempt: s.Attempt}); s.Failed != (failRate{0.2, uint64(seed[0] - '0')}).fails(&l) {
				t.Errorf("%s: failed is %t, which isn't what its seed says", at, s.Failed)
			}
		}
		if len(acks) != 300 {
			t.Errorf("%d records were shown as not failed, want all 300", len(acks))
		}
		for r, n := range acks {
			if n != 1 {
				t.Errorf("%s was shown %d times as not failed", r, n)
			}
		}
		slices.Sort(fs)
		return fs
	}
	a, b, other := failed("a", "1"), failed("b", "1"), failed("c", "2")
	if !slices.Equal(a, b) {
		t.Errorf("the same seed failed different deliveries:\n%v\n%v", a, b)
	}
	if len(a) < 30 || slices.Equal(a, other) {
		t.Errorf("%d failed, and another seed failed the same: %t", len(a), slices.Equal(a, other))
	}
	for p := range int32(3) {
		if got := storedOffset(t, c, "a", "t", p); got != 100 {
			t.Errorf("stored offset of %d is %d, want 100", p, got)
		}
	}
}

func TestTailPartitions(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 4}})
	for p := range int32(4) {
		fill(t, c, "t", p, numbered(2)...)
	}
	out := lines(ok(t, "", at(c, "tail", "-t", "t", "-e", "-p", "1, 3", "-f", `%p\n`)...))
	slices.Sort(out)
	if want := []string{"1", "1", "3", "3"}; !slices.Equal(out, want) {
		t.Errorf("-p 1,3 showed %v, want %v", out, want)
	}
	if got := storedOffset(t, c, "spout-demo", "t", 0); got != -1 {
		t.Errorf("it stored %d for a partition that isn't its", got)
	}
	code, stdout, stderr := cli(t, "", at(c, "tail", "-t", "t", "-p", "0,9")...)
	if code != exitError || stdout != "" || !strings.Contains(stderr, "9") {
		t.Errorf("-p 0,9 ended with %d, stdout %q, stderr %q; want %d and the number", code, stdout, stderr, exitError)
	}
}

func TestTailWorkers(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 2}})
	fill(t, c, "t", 0, numbered(500)...)
	fill(t, c, "t", 1, numbered(500)...)
	if n := len(lines(ok(t, "", at(c, "tail", "-t", "t", "-e", "--workers", "4", "--fail-rate", "0.05", "-f", `%p/%o\n`)...))); n < 1000 {
		t.Errorf("it wrote %d lines, want at least 1000", n)
	}
	for p := range int32(2) {
		if got := storedOffset(t, c, "spout-demo", "t", p); got != 500 {
			t.Errorf("stored offset of %d is %d, want 500", p, got)
		}
	}
}

func TestTailInstance(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	fill(t, c, "t", 0, numbered(3)...)
	tail := func(more ...string) string {
		return ok(t, "", append(at(c, "tail", "-t", "t", "-e", "-f", "%v"), more...)...)
	}
	if got := tail("--instance", "one"); got != "012" {
		t.Errorf("the first instance showed %q", got)
	}
	if got := tail("--instance", "one", "--ignore-stored"); got != "" {
		t.Errorf("the same instance, with --ignore-stored, showed %q", got)
	}
	if got := tail("--instance", "two"); got != "" {
		t.Errorf("another instance showed %q", got)
	}
	if got := tail("--instance", "three", "--ignore-stored"); got != "012" {
		t.Errorf("another instance, with --ignore-stored, showed %q", got)
	}
}

func TestTailRoot(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	fill(t, c, "t", 0, numbered(3)...)
	t.Setenv("SPOUT_BROKERS", c.Brokers()[0])
	t.Setenv("SPOUT_ZK", c.ZooKeeper()[0])
	t.Setenv("SPOUT_ROOT", "/a/b")
	t.Setenv("SPOUT_TOPIC", "t")
	t.Setenv("SPOUT_ID", "me")
	if got := ok(t, "", "tail", "-e", "-f", "%v"); got != "012" {
		t.Errorf("told by the environment, it showed %q", got)
	}
	if _, found, err := c.Node(t.Context(), "/a/b/me/t/partition_0"); err != nil || !found {
		t.Errorf("nothing is stored under SPOUT_ROOT: %v", err)
	}
}

func TestTailUntilInterrupted(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	fill(t, c, "t", 0, numbered(3)...)
	v := begin(t, nil, at(c, "tail", "-t", "t", "--metadata-max-age", "100ms")...)
	v.until("what there is", func() bool { return v.out.String() == "0\n1\n2\n" })
	fill(t, c, "t", 0, spouttest.Values("new")...)
	v.until("what comes", func() bool { return v.out.String() == "0\n1\n2\nnew\n" })
	if err := c.AddPartitions(t.Context(), "t", 2); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "t", 1, spouttest.Values("elsewhere")...)
	v.until("a new partition", func() bool { return strings.HasSuffix(v.out.String(), "elsewhere\n") })
	v.cancel()
	if code := v.end(); code != exitInterrupted {
		t.Errorf("interrupted, it ended with %d, want %d; stderr:\n%s", code, exitInterrupted, v.err)
	}
	if a, b := storedOffset(t, c, "spout-demo", "t", 0), storedOffset(t, c, "spout-demo", "t", 1); a != 4 || b != 1 {
		t.Errorf("stored offsets are %d and %d, want 4 and 1", a, b)
	}
}

func TestTailLargeAndEmptyValues(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	big := strings.Repeat("x", 5_000_000)
	fill(t, c, "t", 0, spouttest.Record{Value: []byte{}}, spouttest.Record{Value: []byte(big)}, spouttest.Record{Value: []byte{}})
	if got := ok(t, "", at(c, "tail", "-t", "t", "-e")...); got != "\n"+big+"\n\n" {
		t.Errorf("it wrote %d bytes, want an empty line, one of 5 MB, and an empty line", len(got))
	}
}
