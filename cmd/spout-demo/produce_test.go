package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/spouttest"
)

// consume returns the first n records of a topic.
func consume(t *testing.T, c *spouttest.Cluster, topic string, n int) []*kgo.Record {
	t.Helper()
	client := newConsumer(t, c.Brokers(), topic)
	var got []*kgo.Record
	for len(got) < n {
		fs := client.PollFetches(t.Context())
		if err := fs.Err(); err != nil {
			t.Fatal(err)
		}
		got = append(got, fs.Records()...)
	}
	return got
}

func TestProduce(t *testing.T) {
	for _, tt := range []struct {
		args, in string
		want     []string // key, value and headers of the records
	}{
		{"", "a\nb", []string{`<nil> "a" []`, `<nil> "b" []`}},
		{"", "\n", []string{`<nil> "" []`}},
		{"-Z", "\nx\n", []string{`<nil> <nil> []`, `<nil> "x" []`}},
		{"-k me", "a\n", []string{`"me" "a" []`}},
		{"-K :", "k:v\n:\nv\n", []string{`"k" "v" []`, `"" "" []`, `<nil> "v" []`}},
		{"-K : -Z", "k:\n:v\n", []string{`"k" <nil> []`, `<nil> "v" []`}},
		{`-K \t`, "k\tv\n", []string{`"k" "v" []`}},
		{"-H a=1 -H b= -H a=x=y", "v\n", []string{`<nil> "v" [a=1 b= a=x=y]`}},
		{"-z gzip", "v\n", []string{`<nil> "v" []`}},
		{"-z snappy", "v\n", []string{`<nil> "v" []`}},
		{"-z lz4", "v\n", []string{`<nil> "v" []`}},
		{"-z zstd", "v\n", []string{`<nil> "v" []`}},
		{"-z none", "\xff\x00\r\n", []string{`<nil> "\xff\x00\r" []`}},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
			out := ok(t, tt.in, append(at(c, "produce", "-t", "t"), strings.Fields(tt.args)...)...)
			var want strings.Builder
			for i := range tt.want {
				fmt.Fprintf(&want, "t[0]@%d\n", i)
			}
			if out != want.String() {
				t.Errorf("wrote %q, want %q", out, want.String())
			}
			show := func(b []byte) string {
				if b == nil {
					return "<nil>"
				}
				return fmt.Sprintf("%q", b)
			}
			for i, r := range consume(t, c, "t", len(tt.want)) {
				hs := []string{}
				for _, h := range r.Headers {
					hs = append(hs, h.Key+"="+string(h.Value))
				}
				if got := fmt.Sprintf("%s %s %s", show(r.Key), show(r.Value), hs); got != tt.want[i] {
					t.Errorf("record %d is %s, want %s", i, got, tt.want[i])
				}
			}
		})
	}
}

func TestProduceNothing(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	if out := ok(t, "", at(c, "produce", "-t", "t")...); out != "" {
		t.Errorf("of no lines, it wrote %q", out)
	}
}

func TestProducePartitions(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Brokers: 2, Topics: map[string]int{"t": 4}})
	if out := ok(t, "a\nb\n", at(c, "produce", "-t", "t", "-p", "2")...); out != "t[2]@0\nt[2]@1\n" {
		t.Errorf("-p 2 wrote %q", out)
	}
	code, stdout, stderr := cli(t, "a\n", at(c, "produce", "-t", "t", "-p", "4")...)
	if code != exitError || stdout != "" || !strings.Contains(stderr, "none with the number 4") {
		t.Errorf("-p 4 ended with %d, %q, %q; want %d and that there is none", code, stdout, stderr, exitError)
	}
	// By key: equal keys go to one partition.
	var in strings.Builder
	for i := range 400 {
		fmt.Fprintf(&in, "k%d:%d\n", i%20, i)
	}
	out := lines(ok(t, in.String(), at(c, "produce", "-t", "t", "-K", ":")...))
	if len(out) != 400 {
		t.Fatalf("wrote %d lines, want 400", len(out))
	}
	of := map[int]string{}
	used := map[string]bool{}
	for i, l := range out {
		p, _, _ := strings.Cut(l, "@")
		if prev := of[i%20]; prev != "" && prev != p {
			t.Fatalf("key k%d went to %s and %s", i%20, prev, p)
		}
		of[i%20], used[p] = p, true
	}
	if len(used) < 2 {
		t.Errorf("20 keys went to %d partitions", len(used))
	}
}

// TestProduceKeepsTheOrder mixes lines that need a batch of their own with
// others.
func TestProduceKeepsTheOrder(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	var in strings.Builder
	for i := range 30 {
		pad := 10
		if i%10 == 5 {
			pad = 5_000_000
		}
		fmt.Fprintf(&in, "%d %s\n", i, strings.Repeat("x", pad))
	}
	out := lines(ok(t, in.String(), at(c, "produce", "-t", "t")...))
	for i, l := range out {
		if want := fmt.Sprintf("t[0]@%d", i); l != want {
			t.Fatalf("line %d says %s, want %s", i, l, want)
		}
	}
	for i, r := range consume(t, c, "t", 30) {
		if n, _, _ := strings.Cut(string(r.Value), " "); n != itoa(i) {
			t.Fatalf("offset %d holds line %s", i, n)
		}
	}
}

func TestProduceTooLarge(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{})
	if err := c.CreateTopic("small", 1, map[string]string{"max.message.bytes": "1000000"}); err != nil {
		t.Fatal(err)
	}
	in := "a\nb\n" + strings.Repeat("x", 5_000_000) + "\nc\n"
	code, stdout, stderr := cli(t, in, at(c, "produce", "-t", "small")...)
	if code != exitError || stdout != "small[0]@0\nsmall[0]@1\n" {
		t.Errorf("it ended with %d and wrote %q, want %d and the two lines before", code, stdout, exitError)
	}
	for _, want := range []string{"line 3", "5000000", "1000000", "max.message.bytes"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it said %q, want it to contain %s", stderr, want)
		}
	}
}

func TestProduceTells(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"an unknown topic", "topic nope doesn't exist", at(c, "produce", "-t", "nope")},
		{"no broker", "no broker of 127.0.0.1:1 can be reached", []string{"produce", "-b", "127.0.0.1:1", "-t", "t"}},
	} {
		code, stdout, stderr := cli(t, "a\n", tt.args...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: it ended with %d and said %q, want %d and %q", tt.name, code, stderr, exitError, tt.want)
		}
	}
}

func TestProduceIsInteractive(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	r, w := io.Pipe()
	v := begin(t, r, at(c, "produce", "-t", "t")...)
	for i := range 3 {
		fmt.Fprintf(w, "%d\n", i)
		v.until("a receipt for each line", func() bool { return len(lines(v.out.String())) == i+1 })
	}
	v.cancel()
	if code := v.end(); code != exitInterrupted {
		t.Errorf("interrupted, it ended with %d, want %d", code, exitInterrupted)
	}
	w.Close()
}

// A brokenWriter takes nothing.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestProduceWithBrokenOutput(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}})
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "a\nb\n")
	var stderr lockedBuffer
	if code := run(t.Context(), at(c, "produce", "-t", "t"), r, brokenWriter{}, &stderr); code != exitError {
		t.Errorf("it ended with %d, want %d", code, exitError)
	}
}
