package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/kspout/kspout/spout"
)

// parseStart reads the start policy: start, end, N, -N or @UNIXMS.
func parseStart(s string) (spout.Start, error) {
	switch s {
	case "start":
		return spout.Earliest, nil
	case "end":
		return spout.Latest, nil
	}
	number, isTime := strings.CutPrefix(s, "@")
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil || isTime && n < 0:
		return spout.Start{}, usagef("-o is %q: want start, end, an offset N, -N for the last N, or @ and a time in Unix ms", s)
	case isTime:
		return spout.Since(time.UnixMilli(n)), nil
	case strings.HasPrefix(s, "-"):
		return spout.Last(-n), nil
	}
	return spout.At(n), nil
}

// parsePartitions reads a list of partition numbers.
func parsePartitions(list string) ([]int32, error) {
	var ns []int32
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if err != nil || n < 0 {
			return nil, usagef("-p is %q: want partition numbers, as 0,1", list)
		}
		ns = append(ns, int32(n))
	}
	return ns, nil
}
