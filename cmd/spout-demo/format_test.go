package main

import (
	"testing"

	"github.com/kspout/kspout/spout"
)

func TestFormat(t *testing.T) {
	l := line{
		topic: "orders", partition: 3, offset: 42, timestamp: 1700000000123, attempt: 2, key: []byte("k"), value: []byte("v"),
		headers: []spout.Header{{Key: "a", Value: []byte("1")}, {Key: "b"}},
	}
	for _, tt := range []struct {
		format string
		line   line
		want   string
	}{
		{defaultFormat, l, "v\n"},
		{defaultFormat, line{}, "\n"},
		{"", l, ""},
		{`%t/%p@%o %k=%v %h %T %a\n`, l, "orders/3@42 k=v a=1,b= 1700000000123 2\n"},
		{`[%k|%v|%h]`, line{}, "[||]"},
		{`a\tb\\n%%v`, l, "a\tb\\n%v"},
		{"naïve %v\x00", l, "naïve v\x00"},
	} {
		form, err := parseFormat(tt.format)
		if err != nil {
			t.Errorf("parseFormat(%q) = %v", tt.format, err)
			continue
		}
		if got := string(form(nil, &tt.line)); got != tt.want {
			t.Errorf("format %q gives %q, want %q", tt.format, got, tt.want)
		}
	}
}

func TestParseStart(t *testing.T) {
	for in, want := range map[string]string{
		"start": "earliest", "end": "latest", "0": "offset 0", "12": "offset 12", "-5": "last 5", "-0": "last 0",
	} {
		if got, err := parseStart(in); err != nil || got.String() != want {
			t.Errorf("parseStart(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	if got, err := parseStart("@0"); err != nil || got == (spout.Start{}) {
		t.Errorf("parseStart(@0) = %v, %v; want a time", got, err)
	}
}

func TestFailRateDependsOnSeedRecordAndAttempt(t *testing.T) {
	f := failRate{rate: 0.1, seed: 7}
	count := func(vary func(l *line, i int)) (n int) {
		for i := range 10_000 {
			l := line{topic: "t", partition: 1, offset: 5, attempt: 1}
			vary(&l, i)
			fails := f.fails(&l)
			if again := f.fails(&l); again != fails {
				t.Fatalf("the same delivery fails and doesn't")
			}
			if fails {
				n++
			}
		}
		return n
	}
	for name, vary := range map[string]func(l *line, i int){
		"offset":    func(l *line, i int) { l.offset = int64(i) },
		"partition": func(l *line, i int) { l.partition = int32(i) },
		"attempt":   func(l *line, i int) { l.attempt = i },
		"topic":     func(l *line, i int) { l.topic = itoa(i) },
	} {
		if n := count(vary); n < 850 || n > 1150 {
			t.Errorf("by %s, %d of 10000 fail, want about 1000", name, n)
		}
	}
	other := failRate{rate: 0.1, seed: 8}
	same := 0
	for i := range 10_000 {
		l := line{topic: "t", offset: int64(i), attempt: 1}
		if f.fails(&l) && other.fails(&l) {
			same++
		}
	}
	if same > 200 {
		t.Errorf("two seeds agree on %d of 10000, want about 100", same)
	}
	if (failRate{seed: 1}).fails(&line{}) {
		t.Errorf("without a rate, a delivery fails")
	}
}
