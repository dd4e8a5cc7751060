package spout

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"
)

// faults returns the names of the fields that err complains of.
func faults(err error) (fields []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			fields = append(fields, faults(e)...)
		}
	} else if c, ok := errors.AsType[*ConfigError](err); ok {
		fields = append(fields, c.Field)
	}
	return fields
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		set  func(*Config)
		want []string
	}{
		{name: "the least", set: func(*Config) {}},
		{name: "nothing", set: func(c *Config) { *c = Config{} }, want: []string{"ID", "Topics"}},
		{name: "a pattern alone", set: func(c *Config) { c.Topics, c.Pattern = nil, regexp.MustCompile("a.*") }},
		{name: "a slash in the id", set: func(c *Config) { c.ID = "a/b" }, want: []string{"ID"}},
		{name: "addresses", set: func(c *Config) {
			c.Brokers = []string{"a:9092,b:9092", "host", "[::1]:9092"}
		}, want: []string{"Brokers", "Brokers"}},
		{name: "a chroot", set: func(c *Config) { c.ZooKeeper = []string{"a:2181", "b:2181/kafka"} }},
		{name: "no ZooKeeper", set: func(c *Config) { c.ZooKeeper = []string{""} }, want: []string{"ZooKeeper"}},
		{name: "roots", set: func(c *Config) { c.Root = "spout" }, want: []string{"Root"}},
		{name: "a double slash", set: func(c *Config) { c.Root = "/a//b" }, want: []string{"Root"}},
		{name: "two stores", set: func(c *Config) { c.Store, c.ZooKeeper = newScriptStore(), []string{"a:1"} }, want: []string{"ZooKeeper"}},
		{name: "topic names", set: func(c *Config) { c.Topics = []string{"a", "a", "b c", ".", "@group"} },
			want: []string{"Topics", "Topics", "Topics", "Topics"}},
		{name: "storm's paths of two topics", set: func(c *Config) { c.Topics, c.StormPaths = []string{"a", "b"}, true }, want: []string{"StormPaths"}},
		{name: "assignments", set: func(c *Config) { c.Assign = Static(3, 3) }, want: []string{"Assign"}},
		{name: "no processes", set: func(c *Config) { c.Assign = Static(0, 0) }, want: []string{"Assign"}},
		{name: "a partition below 0", set: func(c *Config) { c.Assign = Partitions(0, -1) }, want: []string{"Assign"}},
		{name: "no partition", set: func(c *Config) { c.Assign = Partitions() }, want: []string{"Assign"}},
		{name: "start below 0", set: func(c *Config) { c.Start = At(-1) }, want: []string{"Start"}},
		{name: "last below 0", set: func(c *Config) { c.Start = Last(-1) }, want: []string{"Start"}},
		{name: "long ago", set: func(c *Config) { c.Start = Since(time.Time{}) }, want: []string{"Start"}},
		{name: "policies", set: func(c *Config) { c.OnOutOfRange, c.OnUndecodable, c.Isolation = 7, -1, 2 },
			want: []string{"OnOutOfRange", "OnUndecodable", "Isolation"}},
		{name: "counts below 0", set: func(c *Config) {
			c.MaxAttempts, c.MaxOffsetBehind, c.MaxBufferedBytes, c.MaxPartitionBytes = -1, -1, -1, -1
		},
			want: []string{"MaxOffsetBehind", "MaxAttempts", "MaxPartitionBytes", "MaxBufferedBytes"}},
		{name: "times below 0", set: func(c *Config) { c.Timeout, c.DrainTimeout, c.MaxWait = -1, -1, -1 },
			want: []string{"Timeout", "DrainTimeout", "MaxWait"}},
		{name: "no bound", set: func(c *Config) { c.MaxPending = -1 }},
		{name: "a shrinking backoff", set: func(c *Config) { c.Retry.Multiplier = 0.5 }, want: []string{"Retry.Multiplier"}},
		{name: "not a number", set: func(c *Config) { c.Retry.Multiplier = math.NaN() }, want: []string{"Retry.Multiplier"}},
		{name: "a backoff above its bound", set: func(c *Config) { c.Retry.Initial, c.Retry.Max = time.Minute, time.Second }, want: []string{"Retry.Initial"}},
		{name: "a partition above all", set: func(c *Config) { c.MaxPartitionBytes, c.MaxBufferedBytes = 2<<20, 1<<20 }, want: []string{"MaxPartitionBytes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Config{ID: "id", Topics: []string{"t"}}
			tt.set(&c)
			err := c.Validate()
			if got := faults(err); !slices.Equal(got, tt.want) {
				t.Errorf("faults of %v, want of %v: %v", got, tt.want, err)
			}
		})
	}
}

func TestNewChecksItsArguments(t *testing.T) {
	if _, err := New(Config{ID: "id", Topics: []string{"t"}}, nil); err == nil {
		t.Error("a nil handler was taken")
	}
	_, err := New(Config{Timeout: -1}, nil)
	if got, want := faults(err), []string{"ID", "Topics", "Timeout"}; !slices.Equal(got, want) {
		t.Errorf("New: %v, want all faults at once", err)
	}
}

func TestConfigDefaults(t *testing.T) {
	c := Config{ID: "id", Retry: Backoff{Initial: time.Second}}.withDefaults()
	if c.Instance != "id" || c.Retry.Multiplier != 2 || c.Retry.Max != time.Minute || c.Retry.Initial != time.Second || c.MaxPending != 10_000 {
		t.Errorf("defaults: %+v", c)
	}
}
