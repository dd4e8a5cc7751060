package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// envString adds a string flag whose default comes from the environment, where
// it is set there, else is def.
func envString(fs *pflag.FlagSet, p *string, name, short, env, def, usage string) {
	fs.StringVarP(p, name, short, cmp.Or(os.Getenv(env), def), usage+" (environment: "+env+")")
}

// brokersFlag adds -b.
func brokersFlag(fs *pflag.FlagSet, p *string) {
	envString(fs, p, "brokers", "b", "SPOUT_BROKERS", "localhost:9092", "Kafka `brokers`, as host:port,…")
}

// topicFlag adds -t.
func topicFlag(fs *pflag.FlagSet, p *string) {
	envString(fs, p, "topic", "t", "SPOUT_TOPIC", "", "`topic`, required")
}

// addresses splits a list of addresses.
func addresses(list string) []string {
	var out []string
	for a := range strings.SplitSeq(list, ",") {
		out = append(out, strings.TrimSpace(a))
	}
	return out
}
