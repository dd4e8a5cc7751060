package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kspout/kspout/bench/measure"
)

// A spread is the median of some runs, and their extremes.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	return spread{Median: (s[(n-1)/2] + s[n/2]) / 2, Min: s[0], Max: s[n-1]}
}

// over is spreadOf one figure of all results.
func over(results []measure.Result, figure func(*measure.Result) float64) spread {
	values := make([]float64, len(results))
	for i := range results {
		values[i] = figure(&results[i])
	}
	return spreadOf(values)
}

// format prints the median and, in brackets, the extremes.
func (s spread) format(verb string) string {
	return fmt.Sprintf(verb+" ("+verb+"–"+verb+")", s.Median, s.Min, s.Max)
}

// quantile returns the q-quantile of values, which it sorts: the smallest one
// that at least that part of them doesn't exceed.
func quantile[T cmp.Ordered](values []T, q float64) T {
	slices.Sort(values)
	i := int(q*float64(len(values))+0.999999) - 1
	return values[min(max(i, 0), len(values)-1)]
}
