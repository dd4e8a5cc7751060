// Quickstart prints the records of the topic "orders", and remembers in ZooKeeper
// what was printed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kspout/kspout/spout"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	cfg := spout.Config{
		Brokers:   []string{"localhost:9092"},
		ZooKeeper: []string{"localhost:2181"},
		ID:        "billing",
		Topics:    []string{"orders"},
	}
	s, err := spout.New(cfg, spout.Workers(8, spout.Unordered, process))
	if err == nil {
		err = s.Run(ctx) // until Ctrl-C: finishes what is under way, and commits
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process does the work of one record. An error makes it come again later.
func process(ctx context.Context, t *spout.Tuple) error {
	fmt.Printf("%s/%d@%d, delivery %d: %s\n", t.Topic(), t.Partition(), t.Offset(), t.Attempt(), t.Value())
	return nil
}
