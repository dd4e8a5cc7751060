package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kspout/kspout/bench/measure"
)

// Names of contenders that something depends on.
const (
	floor     = "raw"
	ours      = "spout"
	shuffled  = "spout-shuffled"
	confluent = "confluent-kafka-go"
)

// order is that of the table.
var order = []string{
	floor, "fetch", ours, shuffled,
	"franz-go", "franz-go-pools", "kafka-go-fetch", "sarama", "kafka-go-reader", confluent,
}

// peers are who is compared with. franz-go-pools isn't: what it hands out may be
// used until it's given back, and what the spout hands out, for ever.
var peers = []string{"franz-go", "kafka-go-fetch", "sarama", "kafka-go-reader", confluent}

// A contest runs contenders on one topic.
type contest struct {
	launch     launcher
	job        measure.Job
	contenders []string
	rounds     int
	profiles   string // directory to write profiles to in the last round; "": none
	progress   func(string)
}

// run returns the results by contender. The contenders take turns, each round in
// another order, so that what the machine does beside hits all of them.
func (c *contest) run(ctx context.Context) (map[string][]measure.Result, error) {
	results := make(map[string][]measure.Result)
	if _, err := c.once(ctx, floor, c.job); err != nil { // warms the broker and the page cache
		return nil, err
	}
	turn := slices.Clone(c.contenders)
	for round := range c.rounds {
		if round%2 == 1 {
			slices.Reverse(turn)
		}
		for i := range turn {
			name := turn[(i+round)%len(turn)]
			r, err := c.once(ctx, name, c.job)
			if err != nil {
				return nil, err
			}
			results[name] = append(results[name], r)
			c.progress(fmt.Sprintf("round %d  %-20s %6.0f ns/record  %5.2f M records/s", round+1, name, r.CPUPerRecord(), r.RecordsPerSecond()/1e6))
		}
	}
	if c.profiles == "" {
		return results, nil
	}
	for _, name := range c.contenders { // apart: a profile costs something
		job := c.job
		file := filepath.Join(c.profiles, job.Topic+"-"+strings.ReplaceAll(name, "/", "_"))
		job.Profile, job.Heap = file+".cpu.pprof", file+".allocs.pprof"
		if _, err := c.once(ctx, name, job); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (c *contest) once(ctx context.Context, contender string, job measure.Job) (measure.Result, error) {
	wait, err := c.launch.start(ctx, contender, job)
	if err != nil {
		return measure.Result{}, err
	}
	return wait()
}
