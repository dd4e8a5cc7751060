package main

import (
	"testing"

	"github.com/kspout/kspout/bench/measure"
)

// The best peer in processor time needn't be the best in throughput, and neither
// the floor nor what hands out memory for a while only is a peer.
func TestTabulateRatios(t *testing.T) {
	run := func(cpu, seconds float64) []measure.Result {
		return []measure.Result{{Tally: measure.Tally{Records: 1e9}, UserSeconds: cpu, Seconds: seconds}}
	}
	lines := tabulate([]string{floor, ours, "franz-go", "franz-go-pools", "sarama"}, map[string][]measure.Result{
		floor:            run(50, 1),
		ours:             run(100, 2),
		"franz-go":       run(400, 8),
		"franz-go-pools": run(1, 1),
		"sarama":         run(800, 4),
	})
	us := find(lines, ours)
	if us == nil || us.CPUToPeer != 0.25 || us.RecordsToPeer != 2 || us.CPUToFloor != 2 {
		t.Errorf("line of the spout: %+v, want ratios 0.25, 2 and 2", us)
	}
	if us.CPU.Median != 100 {
		t.Errorf("CPU = %v ns/record, want 100", us.CPU.Median)
	}
}
