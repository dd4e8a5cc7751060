package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// What the process exits with.
const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// run executes one command line and returns the exit code. ctx ends when the
// process is told to stop.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	usage, isUsage := errors.AsType[*usageError](err)
	switch {
	case isUsage:
		fmt.Fprintf(stderr, "%s: %v\nSee '%s --help'.\n", cmd.CommandPath(), usage, cmd.CommandPath())
		return exitUsage
	case errors.Is(err, errQuiet):
		return exitError
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", cmd.CommandPath(), err)
		return exitError
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitDone
}

// errQuiet ends a command with an error that nobody wants to read.
var errQuiet = errors.New("standard output is closed")

// A usageError is a command line that means nothing.
type usageError struct{ err error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "spout-demo",
		Short: "Consume Kafka like a Storm spout, from the command line",
		Long: `spout-demo shows what kspout does: records of Kafka are acked and failed one by
one, in any order, and offsets are stored in ZooKeeper up to the lowest one that
isn't done.

See all of it at once:

  spout-demo demo

Or piece by piece, in three terminals:

  spout-demo cluster --topic t:8 --kafka-port 9092 --zk-port 2181
  seq 1000 | spout-demo produce -t t
  spout-demo tail -t t --output json -e`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("name a command: %s", strings.Join(commandNames(cmd), ", "))
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(newDemo(), newCluster(), newTail(), newProduce())
	return root
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArgs refuses arguments, which no command has.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}
