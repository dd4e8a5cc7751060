package spout

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func modelInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// modelParseSet reads 3,5-8: both ends belong to it.
func modelParseSet(s string) map[int64]bool {
	set := map[int64]bool{}
	for e := range strings.SplitSeq(s, ",") {
		lo, hi, ok := strings.Cut(e, "-")
		if !ok {
			hi = lo
		}
		for o := modelInt(lo); o <= modelInt(hi); o++ {
			set[o] = true
		}
	}
	return set
}

// modelParseRanges reads [a,b)[c,d).
func modelParseRanges(s string) []int64 {
	var out []int64
	for e := range strings.SplitSeq(s, ")") {
		if lo, hi, ok := strings.Cut(strings.TrimPrefix(e, "["), ","); ok {
			for o := modelInt(lo); o < modelInt(hi); o++ {
				out = append(out, o)
			}
		}
	}
	return out
}

// modelParseNames reads 3, 3@1, 6/1, 6/1@2, [0,10) and each of these after old:.
func modelParseNames(s string) []modelName {
	rest, old := strings.CutPrefix(s, "old:")
	if strings.HasPrefix(rest, "[") {
		var names []modelName
		for _, o := range modelParseRanges(rest) {
			text := strconv.FormatInt(o, 10)
			if old {
				text = "old:" + text
			}
			names = append(names, modelName{text: text, offset: o, tuple: -1, old: old})
		}
		return names
	}
	n := modelName{text: s, tuple: -1, old: old}
	rest, number, ok := strings.Cut(rest, "@")
	if ok {
		n.number = int(modelInt(number))
	}
	rest, tuple, ok := strings.Cut(rest, "/")
	if ok {
		n.tuple = int(modelInt(tuple))
	}
	n.offset = modelInt(rest)
	return []modelName{n}
}

func modelParseOptions(args []string) modelOptions {
	o := modelDefaults()
	duration := func(s string) time.Duration {
		d, err := time.ParseDuration(s)
		if err != nil {
			panic(err)
		}
		return d
	}
	for _, arg := range args {
		key, val, _ := strings.Cut(arg, "=")
		switch key {
		case "id":
			o.id = val
		case "start":
			o.start = val
			if val != "earliest" && val != "latest" {
				o.startAt = modelInt(val)
			}
		case "ignore-stored":
			o.ignoreStored = val == "true"
		case "max-offset-behind":
			o.behind = modelInt(val)
		case "on-out-of-range":
			o.outOfRange = val
		case "fetch-size":
			o.fetchSize = int(modelInt(val))
		case "max-pending":
			o.maxPending = int(modelInt(val))
		case "retry-delay":
			o.delay = duration(val)
		case "retry-multiplier":
			o.multiplier, _ = strconv.ParseFloat(val, 64)
		case "retry-max":
			o.maxDelay = duration(val)
		case "retry-limit":
			o.retryLimit = int(modelInt(val))
		case "timeout":
			o.timeout = duration(val)
		case "on-undecodable":
			o.failBad = val == "fail"
		default:
			panic(fmt.Sprintf("unknown option %q", arg))
		}
	}
	return o
}
