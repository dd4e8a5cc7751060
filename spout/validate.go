package spout

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/kspout/kspout/zkstate"
)

// Validate reports every fault of c, joined, each a [ConfigError], or nil.
func (c Config) Validate() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, &ConfigError{Field: field, Reason: fmt.Sprintf(format, args...)})
	}
	for _, b := range c.Brokers {
		if err := checkAddress(b); err != nil {
			bad("Brokers", "has %q: %v", b, err)
		}
	}
	if c.ID == "" {
		bad("ID", "is empty: name the consumer")
	} else if _, err := zkstate.NewStore(nil, zkstate.StoreConfig{Root: "/", ID: c.ID}); err != nil {
		bad("ID", "is %q, and must do as one element of a ZooKeeper path: %v", c.ID, err)
	}
	c.validateTopics(bad)
	c.validateZooKeeper(bad)
	if c.Assign.err != nil {
		bad("Assign", "is %v", c.Assign.err)
	}
	switch {
	case c.Start.kind == startAt && c.Start.n < 0:
		bad("Start", "is offset %d, must not be negative; Last counts from the end", c.Start.n)
	case c.Start.kind == startLast && c.Start.n < 0:
		bad("Start", "is the last %d records, must not be negative", c.Start.n)
	case c.Start.kind == startSince && c.Start.t.Before(time.UnixMilli(0)):
		bad("Start", "is since %v, must not be before 1970", c.Start.t)
	}
	c.validatePolicies(bad)
	c.validateBounds(bad)
	return errors.Join(errs...)
}

type complain func(field, format string, args ...any)

func (c Config) validateTopics(bad complain) {
	if len(c.Topics) == 0 && c.Pattern == nil {
		bad("Topics", "is empty, and so is Pattern: say what to read")
	}
	if c.Pattern != nil {
		if _, err := wholeName(c.Pattern); err != nil {
			bad("Pattern", "isn't in the syntax of regexp.Compile: %v", err)
		}
	}
	seen := map[string]bool{}
	for _, t := range c.Topics {
		switch {
		case !legalTopic(t):
			bad("Topics", "has %q: a topic is named by 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-', and not . or ..", t)
		case seen[t]:
			bad("Topics", "has %q twice", t)
		}
		seen[t] = true
	}
}

func (c Config) validateZooKeeper(bad complain) {
	if c.Store != nil {
		if len(c.ZooKeeper) > 0 {
			bad("ZooKeeper", "is set, and so is Store: offsets are kept in one of them")
		}
		if c.StormPaths {
			bad("StormPaths", "is set, and so is Store: paths are ZooKeeper's")
		}
		return
	}
	if c.StormPaths && (len(c.Topics) != 1 || c.Pattern != nil) {
		bad("StormPaths", "is set for more than one topic, which would overwrite each other's offsets")
	}
	d := c.withDefaults()
	if err := (zkstate.Config{Servers: d.ZooKeeper, SessionTimeout: d.SessionTimeout}).Validate(); err != nil {
		bad("ZooKeeper", "or SessionTimeout can't be used: %v", err)
	}
	if _, err := zkstate.NewStore(nil, zkstate.StoreConfig{Root: d.Root, ID: "any"}); err != nil {
		bad("Root", "is %q: %v", c.Root, err)
	}
}

func (c Config) validatePolicies(bad complain) {
	if c.OnOutOfRange < ResetEarliest || c.OnOutOfRange > StopOutOfRange {
		bad("OnOutOfRange", "is %v", c.OnOutOfRange)
	}
	if c.OnUndecodable < SkipUndecodable || c.OnUndecodable > FailUndecodable {
		bad("OnUndecodable", "is %v", c.OnUndecodable)
	}
	if c.Isolation < ReadCommitted || c.Isolation > ReadUncommitted {
		bad("Isolation", "is %d", c.Isolation)
	}
	if m := c.Retry.Multiplier; m != 0 && !(m >= 1) {
		bad("Retry.Multiplier", "is %g, must be at least 1", m)
	}
	if r := c.withDefaults().Retry; r.Initial > r.Max && c.Retry.Initial >= 0 && c.Retry.Max >= 0 {
		bad("Retry.Initial", "is %v, above Retry.Max, %v", r.Initial, r.Max)
	}
}

func (c Config) validateBounds(bad complain) {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxOffsetBehind", c.MaxOffsetBehind},
		{"MaxAttempts", int64(c.MaxAttempts)},
		{"MaxPartitionBytes", c.MaxPartitionBytes},
		{"MaxBufferedBytes", c.MaxBufferedBytes},
	} {
		if f.value < 0 {
			bad(f.name, "is %d, must not be negative; 0 is the default", f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"Retry.Initial", c.Retry.Initial},
		{"Retry.Max", c.Retry.Max},
		{"Timeout", c.Timeout},
		{"CommitInterval", c.CommitInterval},
		{"DrainTimeout", c.DrainTimeout},
		{"MaxWait", c.MaxWait},
		{"MetadataMaxAge", c.MetadataMaxAge},
		{"SessionTimeout", c.SessionTimeout},
	} {
		if f.value < 0 {
			bad(f.name, "is %v, must not be negative; 0 is the default", f.value)
		}
	}
	if d := c.withDefaults(); d.MaxPartitionBytes > d.MaxBufferedBytes && c.MaxBufferedBytes >= 0 {
		bad("MaxPartitionBytes", "is %d, above MaxBufferedBytes, %d", d.MaxPartitionBytes, d.MaxBufferedBytes)
	}
}

func checkAddress(a string) error {
	host, port, err := net.SplitHostPort(a)
	switch {
	case err != nil || host == "" || port == "":
		return errors.New("want host:port")
	case strings.ContainsAny(a, " ,/"):
		return errors.New("want one host:port an element")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errors.New("want a port from 1 to 65535")
	}
	return nil
}

func legalTopic(t string) bool {
	if t == "" || t == "." || t == ".." || len(t) > 249 {
		return false
	}
	for _, r := range t {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r) {
			return false
		}
	}
	return true
}
