package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/kspout/kspout/bench/measure"
)

// A line is what one contender took in a row: the table's, and the JSON's.
type line struct {
	Contender string `json:"contender"`
	Runs      int    `json:"runs"`

	CPU     spread `json:"cpu_ns_per_record"` // user and system
	System  spread `json:"system_ns_per_record"`
	Records spread `json:"records_per_second"`
	MB      spread `json:"mb_per_second"` // 10^6 bytes of values
	Allocs  spread `json:"allocs_per_record"`
	Bytes   spread `json:"alloc_bytes_per_record"`
	RSS     spread `json:"peak_rss_bytes"`

	// Ratios of medians, to the best peer in that figure, and to the floor; 0
	// where there is none.
	CPUToPeer     float64 `json:"cpu_to_best_peer"`
	RecordsToPeer float64 `json:"records_to_best_peer"`
	CPUToFloor    float64 `json:"cpu_to_floor"`
}

// tabulate sums up the runs of a row, a line for each contender.
func tabulate(contenders []string, results map[string][]measure.Result) (lines []line) {
	for _, name := range contenders {
		rs := results[name]
		if len(rs) == 0 {
			continue
		}
		lines = append(lines, line{
			Contender: name,
			Runs:      len(rs),
			CPU:       over(rs, (*measure.Result).CPUPerRecord),
			System:    over(rs, (*measure.Result).SystemPerRecord),
			Records:   over(rs, (*measure.Result).RecordsPerSecond),
			MB:        over(rs, (*measure.Result).MegabytesPerSecond),
			Allocs:    over(rs, (*measure.Result).AllocsPerRecord),
			Bytes:     over(rs, (*measure.Result).BytesPerRecord),
			RSS:       over(rs, func(r *measure.Result) float64 { return float64(r.PeakRSS) }),
		})
	}
	var cpu, records, least float64
	for _, l := range lines {
		if l.Contender == floor {
			least = l.CPU.Median
		}
		if slices.Contains(peers, l.Contender) {
			records = max(records, l.Records.Median)
			if cpu == 0 || l.CPU.Median < cpu {
				cpu = l.CPU.Median
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		l.CPUToPeer = ratio(l.CPU.Median, cpu)
		l.RecordsToPeer = ratio(l.Records.Median, records)
		l.CPUToFloor = ratio(l.CPU.Median, least)
	}
	return lines
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func find(lines []line, contender string) *line {
	if i := slices.IndexFunc(lines, func(l line) bool { return l.Contender == contender }); i >= 0 {
		return &lines[i]
	}
	return nil
}

// printTable writes lines as a table in Markdown that is also one to the eye.
func printTable(w io.Writer, lines []line) {
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.Debug)
	fmt.Fprintln(tw, "|contender\t CPU ns/record\t of it system\t M records/s\t MB/s\t allocs/record\t B/record\t peak RSS MiB\t CPU ÷ best peer\t records/s ÷ best peer\t CPU ÷ raw\t")
	fmt.Fprintln(tw, "|---\t---\t---\t---\t---\t---\t---\t---\t---\t---\t---\t")
	for _, l := range lines {
		fmt.Fprintf(tw, "|%s\t %s\t %.0f\t %s\t %.0f\t %.3f\t %.0f\t %.0f\t %.2f\t %.2f\t %.2f\t\n",
			l.Contender, l.CPU.format("%.0f"), l.System.Median,
			spread{l.Records.Median / 1e6, l.Records.Min / 1e6, l.Records.Max / 1e6}.format("%.2f"),
			l.MB.Median, l.Allocs.Median, l.Bytes.Median, l.RSS.Median/(1<<20),
			l.CPUToPeer, l.RecordsToPeer, l.CPUToFloor)
	}
	tw.Flush()
}
