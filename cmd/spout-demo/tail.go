package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kspout/kspout/spout"
)

func newTail() *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show the records of a topic, ack them, and store offsets in ZooKeeper",
		Long: `tail shows the records of a topic, acks each when it was written, and stores in
ZooKeeper up to where all is acked: started again, it goes on there. A topic that
doesn't exist is waited for, but with -e. Written means taken by standard output:
to see the first few and no more, say -n, not "| head".

Examples:

  spout-demo tail -t orders -e                    all there is, once
  spout-demo tail -t orders -o -10 -n 10          the last 10 of each partition, 10 in all
  spout-demo tail -t orders --output json --fail-rate 0.1
  spout-demo tail -t orders -f '%t/%p@%o %k=%v\n'

A JSON line is written when a record is handed out:

  {"topic":"orders","partition":0,"offset":7,"timestamp":1700000000000,"attempt":1,
   "key":null,"value":"v","headers":[{"key":"k","value":"v"}]}

null stays null, and bytes that aren't UTF-8 come as {"base64":"…"}; "failed":true
is added where --fail-rate will fail the delivery.`,
		Args: noArgs,
	}
	fs := cmd.Flags()
	f.register(fs)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := f.config(fs)
		if err != nil {
			return err
		}
		job, err := f.job(fs)
		if err != nil {
			return err
		}
		level := zerolog.WarnLevel
		if f.verbose {
			level = zerolog.InfoLevel
		}
		cfg.Logger = new(newLogger(cmd.ErrOrStderr()).Level(level))
		return job.run(cmd.Context(), cfg, cmd.OutOrStdout())
	}
	return cmd
}

// A tailJob is what tail does with records.
type tailJob struct {
	form    appender
	fail    failRate
	count   int64 // 0: no bound
	workers int   // 0: none
}

// A tailing is a tailJob at work. Its goroutine, the printer's, is waited for by
// tailJob.run.
type tailing struct {
	tailJob
	quota   quota
	printer *printer
}

// errBeyond is why deliveries fail that -n doesn't want any more. Their records
// stay undone, for the next run.
var errBeyond = errors.New("beyond -n")

// run tails until ctx ends, the job is done, or something fails.
func (j tailJob) run(ctx context.Context, cfg spout.Config, stdout io.Writer) error {
	tailing, stop := context.WithCancel(ctx)
	defer stop()
	h := j.start(stdout, stop)
	s, err := spout.New(cfg, h.handler())
	if err != nil {
		h.end()
		return configUsage(err)
	}
	err = s.Run(tailing)
	if !h.end() {
		return errors.Join(err, errors.New("standard output takes nothing"))
	}
	if werr := h.printer.failure(); errors.Is(werr, syscall.EPIPE) {
		return errors.Join(err, errQuiet)
	} else if werr != nil {
		return errors.Join(err, fmt.Errorf("standard output: %w", werr))
	}
	return err
}

// start makes the job's handler; stop is called when there is nothing more to do.
func (j tailJob) start(stdout io.Writer, stop func()) *tailing {
	t := &tailing{tailJob: j, quota: quota{want: j.count, done: stop}, printer: newPrinter(stdout, stop)}
	go t.printer.run()
	return t
}

// stuckOutput is how long a write may hold up the end.
const stuckOutput = time.Second

// end waits for the printer. It returns false if that hangs in a write.
func (t *tailing) end() bool {
	t.printer.close()
	select {
	case <-t.printer.done:
		return true
	case <-time.After(stuckOutput):
		return false
	}
}

func (t *tailing) handler() spout.Handler {
	if t.workers > 0 {
		return spout.Workers(t.workers, spout.Unordered, t.work)
	}
	return t
}

// Handle shows a record. It is settled once it was written.
func (t *tailing) Handle(ctx context.Context, tu *spout.Tuple) {
	l := lineOf(tu)
	err := t.show(ctx, &l, func(err error) {
		if err != nil {
			tu.Fail(err)
			return
		}
		tu.Ack()
		t.quota.acked(recordID{l.topic, l.partition, l.offset})
	})
	if err != nil {
		tu.Fail(err)
	}
}

// work shows a record and waits until it was written.
func (t *tailing) work(ctx context.Context, tu *spout.Tuple) error {
	l := lineOf(tu)
	settled := make(chan error, 1)
	if err := t.show(ctx, &l, func(err error) { settled <- err }); err != nil {
		return err
	}
	select {
	case err := <-settled:
		if err == nil {
			t.quota.acked(recordID{l.topic, l.partition, l.offset})
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// show prints a record if it is wanted. settle gets the error that it is to be
// failed with, nil for an ack, unless show returns one itself.
func (t *tailing) show(ctx context.Context, l *line, settle func(error)) error {
	if !t.quota.admit(l) {
		return errBeyond
	}
	l.failed = t.fail.fails(l)
	if l.failed {
		written := settle
		settle = func(err error) {
			if err == nil {
				err = errFailRate
			}
			written(err)
		}
	}
	return t.printer.print(ctx, t.form, l, settle)
}
