package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/internal/realservers"
)

type options struct {
	rows                   []row
	only                   []string // contenders; nil: all
	rounds, latencyRuns    int
	records                int64 // in a topic; 0: what the row says
	batchBytes, fetchBytes int32
	profiles, out          string
}

// A report is all that a run of the program found, as it is written in JSON.
type report struct {
	Host    host                `json:"host"`
	Rows    []rowReport         `json:"rows"`
	Latency map[string][]delays `json:"latency,omitempty"`
}

type rowReport struct {
	Row   row    `json:"row"`
	Lines []line `json:"lines"`

	// Runs are all runs, by contender.
	Runs map[string][]measure.Result `json:"runs"`
}

// bench does all of it. The table goes to standard output, progress to standard
// error.
func bench(ctx context.Context, o options) error {
	progress := func(s string) { fmt.Fprintln(os.Stderr, s) }
	launch, err := newLauncher()
	if err != nil {
		return err
	}
	contenders := slices.Clone(order)
	if o.only != nil {
		contenders = o.only
	}
	contenders = slices.DeleteFunc(contenders, func(name string) bool {
		if launch.has(name) {
			return false
		}
		fmt.Printf("%s is left out: there is no bench-confluent beside this program (it needs cgo)\n", name)
		return true
	})

	k, err := realservers.OpenKafka(ctx, realservers.KafkaOptions{JVM: []string{"-XX:TieredStopAtLevel=4", "-Xmx1g"}})
	if err != nil {
		return err
	}
	defer k.Close()
	zk, err := realservers.OpenZooKeeper(ctx, realservers.ZooKeeperOptions{})
	if err != nil {
		return err
	}
	defer zk.Close()

	rep := report{Host: thisHost()}
	fmt.Println(rep.Host)
	for _, r := range o.rows {
		if o.records > 0 {
			r.Records = o.records
		}
		progress("writing " + r.name())
		job, err := writeTopic(ctx, k, r, o.batchBytes)
		if err != nil {
			return err
		}
		job.ZooKeeper, job.FetchBytes = zk.Addrs(), o.fetchBytes
		c := contest{launch: launch, job: job, contenders: contenders, rounds: o.rounds, profiles: o.profiles, progress: progress}
		runs, err := c.run(ctx)
		if err != nil {
			return err
		}
		lines := tabulate(contenders, runs)
		rep.Rows = append(rep.Rows, rowReport{r, lines, runs})
		fmt.Printf("\n%d records of %d B, %s, %d partition(s), batches of %d B; medians of %d (extremes)\n\n",
			r.Records, r.Size, r.Codec, r.Partitions, o.batchBytes, o.rounds)
		printTable(os.Stdout, lines)
		printGoals(os.Stdout, r, lines)
		if err := k.DeleteTopic(ctx, job.Topic); err != nil {
			return err
		}
	}
	if o.latencyRuns > 0 {
		l := latencyTest{kafka: k, zk: zk.Addrs(), launch: launch, rate: 1000, duration: 5 * time.Second, progress: progress}
		if rep.Latency, err = l.run(ctx, o.latencyRuns); err != nil {
			return err
		}
		fmt.Printf("\n%d records/s of 100 B; medians of %d runs of %s (extremes)\n\n", l.rate, o.latencyRuns, l.duration)
		printLatency(os.Stdout, rep.Latency)
	}
	return write(rep, o.out)
}

// write keeps a report.
func write(rep report, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(rep, "", "\t")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, rep.Host.Time.Format("20060102-150405")+".json")
	if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Println("\nwritten to", name)
	return nil
}
