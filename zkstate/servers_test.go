package zkstate

import (
	"slices"
	"strings"
	"testing"
)

func TestParseServers(t *testing.T) {
	for _, tt := range []struct {
		in     string // with a space between elements
		hosts  string
		chroot string
	}{
		{"localhost", "localhost:2181", ""},
		{"a:1 b:2", "a:1 b:2", ""},
		{"a:1,b,c:3/x/y", "a:1 b:2181 c:3", "/x/y"},
		{"a:1/x b:2/x", "a:1 b:2", "/x"},
		{"a/x/", "a:2181", "/x"},
		{"a/", "a:2181", ""},
		{"[::1]:5", "[::1]:5", ""},
	} {
		got, err := parseServers(strings.Fields(tt.in))
		if err != nil || !slices.Equal(got.hosts, strings.Fields(tt.hosts)) || got.chroot != tt.chroot {
			t.Errorf("%q: %+v, %v; want %q, %q", tt.in, got, err, tt.hosts, tt.chroot)
		}
	}
	for _, in := range []string{"", "a:1,", ":1", "a:", "::1", "a//x", "a/x//y", "a/..", "a/x/."} {
		if got, err := parseServers([]string{in}); err == nil {
			t.Errorf("%q: %+v, want an error", in, got)
		}
	}
	if got, err := parseServers([]string{"a/x", "b/y"}); err == nil {
		t.Errorf("two chroots: %+v, want an error", got)
	}
}

func TestUnderAndBelow(t *testing.T) {
	for _, tt := range [][3]string{{"", "/", "/"}, {"", "/a", "/a"}, {"/r", "/", "/r"}, {"/r", "/a/b", "/r/a/b"}} {
		if got := under(tt[0], tt[1]); got != tt[2] {
			t.Errorf("under(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
		if got := below(tt[0], tt[2]); got != tt[1] {
			t.Errorf("below(%q, %q) = %q, want %q", tt[0], tt[2], got, tt[1])
		}
	}
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	for n, want := range []int{50, 100, 200, 400, 800, 1600, 2000, 2000} {
		lo, hi := redial.pause(n, 0).Milliseconds(), redial.pause(n, 0.999).Milliseconds()
		if lo != int64(want/2) || hi < int64(want)-2 || hi > int64(want) {
			t.Errorf("pause %d is %d to %d ms, want %d to %d", n, lo, hi, want/2, want)
		}
	}
	if got := redial.pause(1000, 0); got != redial.limit/2 {
		t.Errorf("pause 1000 is %s", got)
	}
}
