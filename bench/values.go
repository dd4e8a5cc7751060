package main

import (
	"fmt"
	"math/rand/v2"
)

// makeValues returns n values of size bytes each, lines of a log that a codec
// takes down to some two fifths: words that repeat as words do, and numbers that
// don't.
func makeValues(rng *rand.Rand, n, size int) [][]byte {
	words := make([]string, 1000)
	for i := range words {
		word := make([]byte, 3+rng.IntN(7))
		for k := range word {
			word[k] = 'a' + byte(rng.IntN(26))
		}
		words[i] = string(word)
	}
	common := rand.NewZipf(rng, 1.2, 4, uint64(len(words)-1))
	values := make([][]byte, n)
	for i := range values {
		v := make([]byte, 0, size+32)
		for len(v) < size {
			v = fmt.Appendf(v, "%s=%x %s ", words[common.Uint64()], rng.Uint32N(1<<24), words[common.Uint64()])
		}
		values[i] = v[:size:size]
	}
	return values
}
