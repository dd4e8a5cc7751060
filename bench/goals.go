package main

import (
	"fmt"
	"io"
)

// printGoals says of each goal that speaks of this row whether it is reached.
func printGoals(w io.Writer, r row, lines []line) {
	us, acked := find(lines, ours), find(lines, shuffled)
	if us == nil {
		return
	}
	goal := func(what string, got float64, atMost bool, limit float64) {
		sign, reached := "≤", got <= limit
		if !atMost {
			sign, reached = "≥", got >= limit
		}
		verdict := "reached"
		if !reached {
			verdict = "NOT reached"
		}
		fmt.Fprintf(w, "  %-58s %.3f %s %.2f  %s\n", what, got, sign, limit, verdict)
	}
	goal("allocations per record", us.Allocs.Median, true, 0.1)
	switch {
	case r == headline && us.CPUToPeer > 0:
		goal("CPU of the spout to the best peer's", us.CPUToPeer, true, 0.5)
		goal("records/s of the spout to the best peer's", us.RecordsToPeer, false, 1.5)
		goal("then: CPU of the spout to the best peer's", us.CPUToPeer, true, 1.0/3)
	case r.Size == 1024 && r.Codec == "zstd" && us.CPUToPeer > 0:
		goal("CPU of the spout to the best peer's", us.CPUToPeer, true, 0.8)
	}
	if r == headline && us.CPUToFloor > 0 {
		goal("then: CPU of the spout to raw", us.CPUToFloor, true, 2.5)
	}
	if r == headline && acked != nil {
		goal("CPU with shuffled acks to that with acks in the callback", acked.CPU.Median/us.CPU.Median, true, 1.5)
	}
}
