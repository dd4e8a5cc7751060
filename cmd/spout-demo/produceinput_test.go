package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestLineFormat(t *testing.T) {
	null, empty := []byte(nil), []byte{}
	for _, tt := range []struct {
		name       string
		format     lineFormat
		text       string
		key, value []byte
	}{
		{"value", lineFormat{}, "v", null, []byte("v")},
		{"empty", lineFormat{}, "", null, empty},
		{"empty as null", lineFormat{emptyNull: true}, "", null, null},
		{"key", lineFormat{key: []byte("k")}, "v", []byte("k"), []byte("v")},
		{"empty key of all", lineFormat{key: empty, emptyNull: true}, "v", empty, []byte("v")},
		{"separated", lineFormat{separator: []byte("::")}, "k::v::w", []byte("k"), []byte("v::w")},
		{"no separator", lineFormat{separator: []byte(":")}, "v", null, []byte("v")},
		{"empty both", lineFormat{separator: []byte(":")}, ":", empty, empty},
		{"null both", lineFormat{separator: []byte(":"), emptyNull: true}, ":", null, null},
		{"tombstone", lineFormat{separator: []byte(":"), emptyNull: true}, "k:", []byte("k"), null},
	} {
		r := tt.format.record([]byte(tt.text))
		same := func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
		if !same(r.Key, tt.key) || !same(r.Value, tt.value) {
			t.Errorf("%s: %q gives key %#v, value %#v; want %#v, %#v", tt.name, tt.text, r.Key, r.Value, tt.key, tt.value)
		}
	}
}

// FuzzReadLines checks lines against strings.Split, whatever the reads.
func FuzzReadLines(f *testing.F) {
	f.Add("a\nb\n\nc", true)
	f.Add("", false)
	f.Add(strings.Repeat("x", 70_000)+"\n\n", false)
	f.Fuzz(func(t *testing.T, in string, slow bool) {
		var r io.Reader = strings.NewReader(in)
		if slow {
			r = iotest.OneByteReader(r)
		}
		var got []string
		err := readLines(r, func(n int64, text []byte) error {
			got = append(got, string(text))
			if n != int64(len(got)) {
				t.Fatalf("line %d is said to be %d", len(got), n)
			}
			return nil
		})
		want := strings.Split(in, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("%q gives %q, %v; want %q", in, got, err, want)
		}
	})
}

func TestReadLinesNamesTheLine(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))
	err := readLines(r, func(int64, []byte) error { return nil })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("readLines = %v, want the error, with line 2", err)
	}
}

func TestReceiptsAreInOrder(t *testing.T) {
	var out bytes.Buffer
	r := newReceipts(&out)
	rec := func(o int64) *kgo.Record { return &kgo.Record{Topic: "t", Partition: 1, Offset: o} }
	for range 4 {
		r.expect()
	}
	r.settle(2, rec(20), nil)
	if out.Len() > 0 {
		t.Errorf("line 2 was written before line 1: %q", out.String())
	}
	r.settle(1, rec(10), nil)
	if got, want := out.String(), "t[1]@10\nt[1]@20\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	broken := errors.New("broken")
	r.settle(4, rec(40), nil)
	r.settle(3, rec(0), broken)
	if err := r.failure(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("failure = %v, want that of line 3", err)
	}
	if got, want := out.String(), "t[1]@10\nt[1]@20\n"; got != want {
		t.Errorf("wrote %q, want nothing beyond the failure", got)
	}
}
