package main

import (
	"net"
	"strings"
	"testing"

	"github.com/kspout/kspout/spouttest"
)

func TestTailWaitsForATopic(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{})
	v := begin(t, nil, at(c, "tail", "-t", "later", "-n", "1")...)
	v.until("a line that it waits", func() bool { return strings.Contains(v.err.String(), "later") })
	if err := c.CreateTopic("later", 2, nil); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "later", 1, spouttest.Values("here")...)
	if code := v.end(); code != exitDone || v.out.String() != "here\n" {
		t.Errorf("it ended with %d and wrote %q, want %d and the record; stderr:\n%s", code, v.out, exitDone, v.err)
	}
}

func TestTailInterruptedWhileWaiting(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{})
	v := begin(t, nil, at(c, "tail", "-t", "later")...)
	v.until("a line that it waits", func() bool { return strings.Contains(v.err.String(), "later") })
	v.cancel()
	if code := v.end(); code != exitInterrupted {
		t.Errorf("it ended with %d, want %d", code, exitInterrupted)
	}
}

// unused returns an address where nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func TestTailTells(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1, "garbage": 2}})
	fill(t, c, "garbage", 0, numbered(2)...)
	fill(t, c, "garbage", 1, numbered(2)...)
	path := spouttest.Path("spout-demo", "garbage", 0)
	if err := c.SetNode(t.Context(), path, []byte(`{"offset":`)); err != nil {
		t.Fatal(err)
	}
	nobody := unused(t)
	for _, tt := range []struct {
		name   string
		args   []string
		stdout string
		want   []string
	}{
		{"no broker", []string{"tail", "-b", nobody, "-z", c.ZooKeeper()[0], "-t", "t"}, "", []string{"Kafka", nobody}},
		{"no ZooKeeper", []string{"tail", "-b", c.Brokers()[0], "-z", nobody, "-t", "t"}, "", []string{"ZooKeeper", nobody}},
		{"no topic, with -e", at(c, "tail", "-t", "nope", "-e"), "", []string{"nope"}},
		{"garbage in ZooKeeper", at(c, "tail", "-t", "garbage", "-e"), "0\n1\n", []string{path}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := cli(t, "", tt.args...)
			if code != exitError || stdout != tt.stdout {
				t.Errorf("it ended with %d and wrote %q, want %d and %q; stderr:\n%s", code, stdout, exitError, tt.stdout, stderr)
			}
			last := ""
			if all := lines(stderr); len(all) > 0 {
				last = all[len(all)-1]
			}
			for _, want := range tt.want {
				if !strings.HasPrefix(last, "spout-demo tail: ") || !strings.Contains(last, want) {
					t.Errorf("its last words were %q, want them to name %s; stderr:\n%s", last, want, stderr)
				}
			}
			if strings.Count(stderr, "spout-demo tail: ") != 1 {
				t.Errorf("it told its error more than once:\n%s", stderr)
			}
		})
	}
	t.Cleanup(func() {
		if got, _, err := c.Node(t.Context(), path); err == nil && string(got) != `{"offset":` {
			t.Errorf("garbage was overwritten by %s", got)
		}
	})
}
