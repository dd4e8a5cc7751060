package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show all of it in ten seconds: failures, a crash, and nothing lost",
		Long: `demo runs a Kafka and a ZooKeeper in this process, produces 20,000 records to 8
partitions, and works on them with a spout: 5 % of the deliveries fail, a leader
moves, the ZooKeeper session expires, and in the middle the spout crashes, its last
commit unwritten, and is started again.

It shows what happens on standard error, and ends with a line of proof:

  {"records":20000,"deliveries":21500,"redelivered_after_ack":420,"lost":0,
   "stored":{"demo":[2500,2500,2500,2500,2500,2500,2500,2500]}}

redelivered_after_ack counts what the crash made come again: acked, but not yet
committed. It exits with 1 unless nothing is lost and all is committed.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := demonstration{
				records: 20_000, partitions: 8, rate: failRate{rate: 0.05, seed: 1},
				workers: 16, work: 5 * time.Millisecond, commit: time.Second,
			}
			return d.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

const (
	demoTopic = "demo"
	demoID    = "spout-demo"
)

// A demonstration is one run of demo.
type demonstration struct {
	records, partitions int
	rate                failRate
	workers             int
	work                time.Duration // on each record
	commit              time.Duration // between commits

	cluster  *spouttest.Cluster
	ends     []int64
	ledger   *ledger
	progress *progress
}

func (d *demonstration) run(ctx context.Context, stdout, stderr io.Writer) error {
	c, err := spouttest.Open(ctx, spouttest.Config{Brokers: 3, Topics: map[string]int{demoTopic: d.partitions}})
	if err != nil {
		return ignoreInterrupt(ctx, err)
	}
	defer c.Close()
	d.cluster = c
	fmt.Fprintf(stderr, "Kafka at %s, ZooKeeper at %s, in this process\n", strings.Join(c.Brokers(), ", "), c.ZooKeeper()[0])
	if err := d.produce(ctx); err != nil {
		return ignoreInterrupt(ctx, err)
	}
	d.ledger = newLedger(d.ends)
	d.progress = newProgress(stderr, d.status)
	d.progress.say("produced %d records to %d partitions", d.records, d.partitions)
	d.progress.start()
	err = d.consume(ctx)
	d.progress.stop()
	if err != nil || ctx.Err() != nil {
		return ignoreInterrupt(ctx, err)
	}
	stored, err := d.stored(ctx)
	if err != nil {
		return err
	}
	proof, ok := d.ledger.prove(demoTopic, d.ends, stored)
	if err := json.NewEncoder(stdout).Encode(proof); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("the promise is broken: %d records lost, stored %v of %v", proof.Lost, stored, d.ends)
	}
	return nil
}

// ignoreInterrupt returns err, unless it comes from being told to stop.
func ignoreInterrupt(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// produce fills the topic evenly.
func (d *demonstration) produce(ctx context.Context) error {
	for p := range d.partitions {
		var rs []spouttest.Record
		for i := p; i < d.records; i += d.partitions {
			rs = append(rs, spouttest.Record{Key: fmt.Appendf(nil, "k%d", i), Value: fmt.Appendf(nil, "record %d", i)})
		}
		if _, err := d.cluster.Produce(ctx, demoTopic, int32(p), rs...); err != nil {
			return err
		}
		d.ends = append(d.ends, int64(len(rs)))
	}
	return nil
}

// consume works on all records: up to a crash, and then to the end.
func (d *demonstration) consume(ctx context.Context) error {
	if err := d.crashAt(ctx, int64(d.records)*2/5); err != nil || ctx.Err() != nil {
		return err
	}
	d.progress.say("the spout starts again, from what is stored")
	return d.toTheEnd(ctx)
}

// spout returns one that works as the demo wants.
func (d *demonstration) spout(stopAtEnd bool, drain time.Duration) (*spout.Spout, error) {
	return spout.New(spout.Config{
		Brokers: d.cluster.Brokers(), ZooKeeper: d.cluster.ZooKeeper(), ID: demoID, Topics: []string{demoTopic},
		CommitInterval: d.commit, StopAtEnd: stopAtEnd, DrainTimeout: drain, MaxWait: 100 * time.Millisecond,
	}, spout.Workers(d.workers, spout.Unordered, d.handle))
}

// handle is the user's code: some work, which fails at times.
func (d *demonstration) handle(ctx context.Context, t *spout.Tuple) error {
	d.ledger.delivered(t)
	select {
	case <-time.After(d.work):
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	if d.rate.fails(&line{topic: demoTopic, partition: t.Partition(), offset: t.Offset(), attempt: t.Attempt()}) {
		err = errFailRate
	}
	d.ledger.settled(t, err)
	return err
}

// crashAt runs a spout until that many records are acked, and ends it as a crash
// does: ZooKeeper gets nothing of what was done since the last commit.
func (d *demonstration) crashAt(ctx context.Context, acked int64) error {
	s, err := d.spout(false, 10*time.Millisecond)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(running) }()
	if err, over := d.await(ctx, acked, ended); over {
		return err
	}
	d.cluster.StopZooKeeper()
	d.progress.say("the spout crashes: what was acked since the last commit will come again")
	stop()
	<-ended // that it couldn't commit is the point
	return d.cluster.StartZooKeeper()
}

// toTheEnd runs a spout until all is done, and troubles it in the middle.
func (d *demonstration) toTheEnd(ctx context.Context) error {
	s, err := d.spout(true, 5*time.Second)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(running) }()
	for i, trouble := range []func() error{d.moveLeader, d.expireSession} {
		if err, over := d.await(ctx, int64(d.records)*int64(6+i)/10, ended); over {
			return err
		}
		if err := trouble(); err != nil {
			stop()
			return errors.Join(err, <-ended)
		}
	}
	return <-ended
}

// await returns when that many records are acked, or, with over, when the spout
// has ended.
func (d *demonstration) await(ctx context.Context, acked int64, ended <-chan error) (err error, over bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for d.ledger.tally().done < acked {
		select {
		case <-tick.C:
		case err := <-ended:
			return err, true
		}
	}
	return nil, false
}

func (d *demonstration) moveLeader() error {
	to := (d.cluster.Leader(demoTopic, 0) + 1) % 3
	d.progress.say("broker %d becomes the leader of partition 0", to)
	return d.cluster.MoveLeader(demoTopic, 0, to)
}

func (d *demonstration) expireSession() error {
	d.progress.say("the ZooKeeper session expires")
	d.cluster.ExpireSessions()
	return nil
}

// stored returns what ZooKeeper holds, -1 where it holds nothing.
func (d *demonstration) stored(ctx context.Context) ([]int64, error) {
	var next []int64
	for p := range d.partitions {
		cp, ok, err := d.cluster.Stored(ctx, demoID, demoTopic, int32(p))
		if err != nil {
			return nil, err
		}
		if !ok {
			cp.Offset = -1
		}
		next = append(next, cp.Offset)
	}
	return next, nil
}

// barWidth is how many characters show the share that is done.
const barWidth = 30

func (d *demonstration) status() string {
	t := d.ledger.tally()
	full := int(t.done * barWidth / max(1, t.records))
	return fmt.Sprintf("[%s%s] %d of %d acked, %d deliveries, %d failed, %d repeated after their ack",
		strings.Repeat("#", full), strings.Repeat(".", barWidth-full), t.done, t.records, t.deliveries, t.failed, t.again)
}
