package spout

import (
	"errors"
	"fmt"
	"strings"
)

var (
	errModelStore      = errors.New("store")
	errModelFetch      = errors.New("fetch")
	errModelUnreadable = errors.New("unreadable state")
	errModelRange      = errors.New("offset out of range")
	errModelTooMany    = errors.New("too many failures")
)

// A modelLog is the scripted broker's log.
type modelLog struct {
	topic      int // another number: another topic id
	start, end int64
	gone       map[int64]bool
	silent     map[int64]bool
	bad        map[int64]bool
	fan        map[int64]int
}

func (l *modelLog) has(o int64) bool { return o >= l.start && o < l.end && !l.gone[o] }

// yields tells what the scheme makes of the record at o.
func (l *modelLog) yields(o int64) int {
	switch {
	case l.bad[o]:
		return modelBad
	case l.silent[o]:
		return 0
	case l.fan[o] > 0:
		return l.fan[o]
	}
	return 1
}

// A modelAnswer holds records and proves what is in [the offset asked for, proven).
type modelAnswer struct {
	records []int64
	proven  int64
}

// read returns up to n records from the offset on, and the gaps among and directly
// behind them; without a record it proves nothing.
func (l *modelLog) read(from int64, n int) modelAnswer {
	a := modelAnswer{proven: from}
	o := from
	for ; o < l.end && len(a.records) < n; o++ {
		if l.has(o) {
			a.records = append(a.records, o)
		}
	}
	if len(a.records) == 0 {
		return a
	}
	for o < l.end && !l.has(o) {
		o++
	}
	a.proven = o
	return a
}

// modelRanges prints ascending offsets as [a,b)[c,d).
func modelRanges(offs []int64) string {
	var b strings.Builder
	for i := 0; i < len(offs); {
		j := i + 1
		for j < len(offs) && offs[j] == offs[j-1]+1 {
			j++
		}
		fmt.Fprintf(&b, "[%d,%d)", offs[i], offs[j-1]+1)
		i = j
	}
	return b.String()
}
