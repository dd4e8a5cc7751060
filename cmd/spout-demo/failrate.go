package main

import (
	"errors"
	"hash/fnv"
	"math"
)

// errFailRate is why tail fails a delivery.
var errFailRate = errors.New("failed by --fail-rate")

// A failRate decides which deliveries fail: some share of them, by chance, but
// the same ones for the same seed. Each attempt has a chance of its own.
type failRate struct {
	rate float64 // 0 to below 1
	seed uint64
}

func (f failRate) fails(l *line) bool {
	if f.rate <= 0 {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(l.topic))
	x := mix(h.Sum64() ^ mix(f.seed))
	x = mix(x ^ uint64(l.partition))
	x = mix(x ^ uint64(l.offset))
	x = mix(x ^ uint64(l.attempt))
	return float64(x>>11)/(1<<53) < f.rate
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func checkRate(name string, rate float64) error {
	if math.IsNaN(rate) || rate < 0 || rate >= 1 {
		return usagef("%s is %g: want at least 0, and below 1", name, rate)
	}
	return nil
}
