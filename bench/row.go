package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A row is one topic that the contenders read, a row of the table of results.
type row struct {
	Size       int    `json:"size"`  // bytes of a value
	Codec      string `json:"codec"` // none, lz4, zstd
	Partitions int    `json:"partitions"`
	Records    int64  `json:"records"`
}

// headline is the row that the goals are about.
var headline = row{Size: 100, Codec: "none", Partitions: 1, Records: 5_000_000}

// allRows are the headline and all other rows. Each takes a middling contender
// some 5 s.
func allRows() (rows []row) {
	for _, size := range []int{100, 1024} {
		for _, codec := range []string{"none", "lz4", "zstd"} {
			for _, partitions := range []int{1, 8} {
				rows = append(rows, newRow(size, codec, partitions))
			}
		}
	}
	return rows
}

func newRow(size int, codec string, partitions int) row {
	r := row{Size: size, Codec: codec, Partitions: partitions, Records: headline.Records}
	if size > 500 {
		r.Records = 1_500_000
	}
	return r
}

// name is as 100/none/1: bytes, codec, partitions.
func (r row) name() string { return fmt.Sprintf("%d/%s/%d", r.Size, r.Codec, r.Partitions) }

func (r row) topic() string { return fmt.Sprintf("bench-%d-%s-%d", r.Size, r.Codec, r.Partitions) }

// parseRows reads a list of names, "headline" or "all".
func parseRows(s string) (rows []row, err error) {
	for name := range strings.SplitSeq(s, ",") {
		switch name {
		case "headline":
			rows = append(rows, headline)
			continue
		case "all":
			rows = append(rows, allRows()...)
			continue
		}
		part := strings.Split(name, "/")
		if len(part) != 3 || part[1] != "none" && part[1] != "lz4" && part[1] != "zstd" {
			return nil, fmt.Errorf("row %q: want BYTES/none|lz4|zstd/PARTITIONS, headline or all", name)
		}
		size, err1 := strconv.Atoi(part[0])
		partitions, err2 := strconv.Atoi(part[2])
		if err1 != nil || err2 != nil || size < 8 || partitions < 1 {
			return nil, fmt.Errorf("row %q: want at least 8 bytes and one partition", name)
		}
		rows = append(rows, newRow(size, part[1], partitions))
	}
	return rows, nil
}
