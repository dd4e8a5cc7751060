// Command bench compares this project's consumer with other Go clients on a real
// Kafka broker that it starts. See README.md.
//
//	bench [flags]      starts the servers, writes the topics, runs the contenders
//	bench contender    is one contender's process: reads a job from standard input
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/kspout/kspout/bench/contender"
	"github.com/kspout/kspout/bench/measure"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) == 2 && os.Args[1] == "contender" {
		return measure.Process(contender.All)
	}
	var o options
	rows := flag.String("rows", "headline", "topics to read, as BYTES/CODEC/PARTITIONS, comma-separated; headline, all, or none for latency alone")
	only := flag.String("only", "", "contenders to run, comma-separated (default: all); NAME@PROGRAM is that of another build of this program")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds")
	flag.Int64Var(&o.records, "records", 0, "records in a topic (default: for some 5 s)")
	batch := flag.Int("batch-bytes", batchBytes, "size of the batches in a topic before compression")
	fetch := flag.Int("fetch-bytes", 0, "what every contender asks for of a partition at a time (default: what each does by default)")
	flag.IntVar(&o.latencyRuns, "latency", 0, "runs to measure latency in")
	flag.StringVar(&o.profiles, "profiles", "", "existing directory to write profiles to, in a run of their own")
	flag.StringVar(&o.out, "out", "results", "directory for the results as JSON")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("bench: unexpected %q", flag.Args())
	}
	o.batchBytes, o.fetchBytes = int32(*batch), int32(*fetch)
	if *rows != "none" {
		var err error
		if o.rows, err = parseRows(*rows); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, o); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}
