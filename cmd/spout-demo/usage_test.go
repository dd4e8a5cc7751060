package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestWrongUsage(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // in what it says
	}{
		{"", "name a command: cluster, demo, produce, tail"},
		{"nope", `no command "nope"`},
		{"--nope", "--nope"},
		{"demo x", `"x"`},
		{"demo --records 5", "--records"},
		{"tail", "-t is missing"},
		{"tail -t t --nope", "--nope"},
		{"tail -t t x", `"x"`},
		{"tail -t t --http :80", "--http"},
		{"tail -t t --member m", "--member"},
		{"tail -t a/b", "--topic"},
		{"tail -t ..", "--topic"},
		{"tail -t t -b nowhere", "--brokers"},
		{"tail -t t -b a:1,,b:2", "--brokers"},
		{"tail -t t -z a:b:c", "--zk"},
		{"tail -t t --id a/b", "--id"},
		{"tail -t t --id=", "--id"},
		{"tail -t t --root x", "--root"},
		{"tail -t t --root=", "--root"},
		{"tail -t t -o middle", "middle"},
		{"tail -t t -o @", "@"},
		{"tail -t t -o @-5", "@-5"},
		{"tail -t t -o 1.5", "1.5"},
		{"tail -t t -p x", `"x"`},
		{"tail -t t -p -1", `"-1"`},
		{"tail -t t -p 0,,1", `"0,,1"`},
		{"tail -t t -p=", "-p"},
		{"tail -t t -n 0", "-n is 0"},
		{"tail -t t -n -3", "-n is -3"},
		{"tail -t t -n x", "-n"},
		{"tail -t t --output xml", "xml"},
		{"tail -t t --output json -f %v", "-f"},
		{"tail -t t -f %x", "%x"},
		{"tail -t t -f %", "lone %"},
		{`tail -t t -f \q`, `\q`},
		{"tail -t t --fail-rate 1", "--fail-rate is 1"},
		{"tail -t t --fail-rate -0.1", "--fail-rate is -0.1"},
		{"tail -t t --fail-rate NaN", "--fail-rate is NaN"},
		{"tail -t t --seed -1", "--seed"},
		{"tail -t t --workers 0", "--workers is 0"},
		{"tail -t t --isolation maybe", "maybe"},
		{"tail -t t --commit-interval 0s", "--commit-interval is 0s"},
		{"tail -t t --commit-interval -1s", "--commit-interval is -1s"},
		{"tail -t t --metadata-max-age -1s", "--metadata-max-age is -1s"},
		{"tail -t t --metadata-max-age soon", "soon"},
		{"produce", "-t is missing"},
		{"produce -t t --zk a:1", "--zk"},
		{"produce -t t -k a -K :", "-K"},
		{"produce -t t --key-separator=", "-K is empty"},
		{"produce -t t -H novalue", "novalue"},
		{"produce -t t -p -1", "-p is -1"},
		{"produce -t t -z brotli", "brotli"},
		{"produce -t t x", `"x"`},
		{"cluster --brokers 0", "--brokers is 0"},
		{"cluster --brokers 127.0.0.1:9092", "--brokers"},
		{"cluster -b 127.0.0.1:9092", "-b"},
		{"cluster --topic t", `"t"`},
		{"cluster --topic t:0", `"t:0"`},
		{"cluster --topic t:x", `"t:x"`},
		{"cluster --topic a/b:1", `"a/b:1"`},
		{"cluster --topic t:1 --topic t:2", "twice"},
		{"cluster --kafka-port 70000", "--kafka-port"},
		{"cluster --kafka-port 65535 --brokers 2", "--kafka-port"},
		{"cluster --zk-port -1", "--zk-port"},
	} {
		code, stdout, stderr := cli(t, "", strings.Fields(tt.args)...)
		if code != exitUsage || stdout != "" {
			t.Errorf("%q ended with %d and wrote %q, want %d and nothing; stderr:\n%s", tt.args, code, stdout, exitUsage, stderr)
		}
		if !strings.Contains(stderr, tt.want) || !strings.Contains(stderr, "--help'") {
			t.Errorf("%q said %q, want it to contain %q and a hint", tt.args, stderr, tt.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"cluster", "tail", "produce", "demo"} {
		code, stdout, stderr := cli(t, "", name, "--help")
		if code != exitDone || stderr != "" || !strings.Contains(stdout, "spout-demo "+name) {
			t.Errorf("%s --help ended with %d; stdout:\n%s\nstderr:\n%s", name, code, stdout, stderr)
		}
	}
	if code, stdout, _ := cli(t, "", "--help"); code != exitDone || !strings.Contains(stdout, "spout-demo demo") {
		t.Errorf("--help ended with %d; stdout:\n%s", code, stdout)
	}
}

func TestNoFlagIsPersistent(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.PersistentFlags().HasFlags() {
			t.Errorf("%s has persistent flags", c.CommandPath())
		}
		if c.Short == "" || strings.Contains(c.Short, "\n") {
			t.Errorf("%s has no one-line Short", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
}

func TestFlagBeforeEnvironmentBeforeDefault(t *testing.T) {
	t.Setenv("SPOUT_BROKERS", "env:1")
	t.Setenv("SPOUT_ROOT", "")
	cmd := newTail()
	if err := cmd.ParseFlags([]string{"-z", "flag:2"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"brokers": "env:1", "zk": "flag:2", "root": "/spout", "id": "spout-demo",
	} {
		if got := cmd.Flag(name).Value.String(); got != want {
			t.Errorf("--%s is %q, want %q", name, got, want)
		}
	}
	cmd = newTail()
	if err := cmd.ParseFlags([]string{"-b", "flag:3"}); err != nil {
		t.Fatal(err)
	}
	if got := cmd.Flag("brokers").Value.String(); got != "flag:3" {
		t.Errorf("--brokers is %q, want the flag's, not the environment's", got)
	}
}
