package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/bench/measure"
	"github.com/kspout/kspout/internal/realservers"
)

// A latencyTest measures the time from produce to callback at a steady rate, of
// two consumers at once: what holds up the machine or the broker holds up both.
type latencyTest struct {
	kafka    *realservers.Kafka
	zk       []string
	launch   launcher
	rate     int           // records a second
	duration time.Duration // of one run, beside a second to warm up
	progress func(string)
}

// Delays are those of one run, in milliseconds.
type delays struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

var latencyContenders = []string{"spout-latency", "franz-go-latency"}

// run returns the delays of each run by contender. One more run, the first, warms
// the broker and doesn't count.
func (l *latencyTest) run(ctx context.Context, runs int) (map[string][]delays, error) {
	all := make(map[string][]delays)
	turn := slices.Clone(latencyContenders)
	for i := range 1 + runs {
		got, err := l.once(ctx, fmt.Sprintf("bench-latency-%d", i), turn)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		for _, name := range latencyContenders {
			d := got[name]
			all[name] = append(all[name], d)
			l.progress(fmt.Sprintf("run %d  %-18s p50 %.2f ms  p99 %.2f ms  max %.2f ms", i, name, d.P50, d.P99, d.Max))
		}
		slices.Reverse(turn)
	}
	return all, nil
}

// once starts the consumers, in the order of turn, and produces to them. The records of the first second
// don't count: a consumer may still be connecting.
func (l *latencyTest) once(ctx context.Context, topic string, turn []string) (map[string]delays, error) {
	if err := l.kafka.CreateTopic(ctx, topic, 1, 1, nil); err != nil {
		return nil, err
	}
	client, err := newProducer(l.kafka, kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(0))
	if err != nil {
		return nil, err
	}
	defer client.Close()

	records := make([][]byte, int(float64(l.rate)*(l.duration.Seconds()+1)))
	var want measure.Tally
	for i := range records {
		records[i] = make([]byte, 100)
		records[i][99] = byte(i)
		want.Add(records[i])
	}
	job := measure.Job{
		Brokers: l.kafka.Brokers(), ZooKeeper: l.zk, Topic: topic, Ends: []int64{want.Records}, Want: want,
	}
	waits := make(map[string]func() (measure.Result, error))
	for _, name := range turn {
		if waits[name], err = l.launch.start(ctx, name, job); err != nil {
			return nil, err
		}
	}
	l.produce(ctx, client, records)
	got := make(map[string]delays)
	for name, wait := range waits {
		r, err := wait()
		if err != nil {
			return nil, err
		}
		ds := r.Delays[l.rate:]
		ms := func(q float64) float64 { return float64(quantile(ds, q)) / 1e6 }
		got[name] = delays{P50: ms(0.5), P99: ms(0.99), Max: ms(1)}
	}
	return got, nil
}

// produce produces at the rate, and catches up if it was held up.
func (l *latencyTest) produce(ctx context.Context, client *kgo.Client, values [][]byte) {
	pace := time.NewTicker(time.Second / time.Duration(l.rate))
	defer pace.Stop()
	start := time.Now()
	for i, v := range values {
		for due := start.Add(time.Duration(i) * time.Second / time.Duration(l.rate)); time.Now().Before(due); {
			<-pace.C
		}
		binary.BigEndian.PutUint64(v, uint64(time.Now().UnixNano()))
		client.Produce(ctx, &kgo.Record{Value: v}, nil)
	}
	_ = client.Flush(ctx) // what is missing the consumer misses
}

// printLatency writes the medians over the runs, and whether the goal is reached.
func printLatency(w io.Writer, byName map[string][]delays) {
	fmt.Fprintln(w, "| produce to callback | p50 ms | p99 ms | max ms |")
	fmt.Fprintln(w, "|---|---|---|---|")
	p99 := make(map[string]float64)
	for _, name := range latencyContenders {
		of := func(f func(delays) float64) spread {
			var values []float64
			for _, d := range byName[name] {
				values = append(values, f(d))
			}
			return spreadOf(values)
		}
		high := of(func(d delays) float64 { return d.P99 })
		p99[name] = high.Median
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", name,
			of(func(d delays) float64 { return d.P50 }).format("%.2f"),
			high.format("%.2f"),
			of(func(d delays) float64 { return d.Max }).format("%.2f"))
	}
	got := ratio(p99["spout-latency"], p99["franz-go-latency"])
	verdict := "reached"
	if got > 1.1 {
		verdict = "NOT reached"
	}
	fmt.Fprintf(w, "  p99 of the spout to franz-go's: %.2f ≤ 1.1  %s\n", got, verdict)
}
