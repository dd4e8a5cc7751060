// Command spout-demo shows what kspout does, from the command line: it runs a
// Kafka and a ZooKeeper in the process, produces records, tails topics with acks,
// fails and stored offsets, and demonstrates all of it at once.
//
// Data go to standard output, everything else to standard error. It exits with 0
// when done, 1 on an error, 2 on wrong usage, and 130 on SIGINT or SIGTERM after
// a clean stop.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error of the write
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
