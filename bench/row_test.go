package main

import (
	"slices"
	"testing"
)

func TestParseRows(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{in: "headline", want: []string{"100/none/1"}},
		{in: "1024/zstd/8,headline", want: []string{"1024/zstd/8", "100/none/1"}},
		{in: "100/gzip/1"},
		{in: "100/none"},
		{in: "7/none/1"},
		{in: "100/none/0"},
		{in: ""},
	}
	for _, tt := range tests {
		rows, err := parseRows(tt.in)
		var got []string
		for _, r := range rows {
			got = append(got, r.name())
		}
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.want != nil) {
			t.Errorf("parseRows(%q) = %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
}

// What a goal is about is the row, however it was named.
func TestAllRowsHoldTheHeadline(t *testing.T) {
	rows := allRows()
	if len(rows) != 12 || !slices.Contains(rows, headline) {
		t.Errorf("allRows() = %v, want 12 rows, %v among them", rows, headline)
	}
}
