package measure

// A Tally is what a contender saw. It has a cache line of its own, so that
// goroutines can count beside each other.
type Tally struct {
	Records int64 `json:"records"`
	Bytes   int64 `json:"bytes"` // of values
	Marks   int64 `json:"marks"` // sum of the last byte of each value

	_ [40]byte
}

// Add counts one record. It touches the value: a consumer that only hands out
// where it would be must have found it.
func (t *Tally) Add(value []byte) {
	t.Records++
	t.Bytes += int64(len(value))
	if n := len(value); n > 0 {
		t.Marks += int64(value[n-1])
	}
}

// Sum adds up tallies.
func Sum(tallies []Tally) (sum Tally) {
	for _, t := range tallies {
		sum.Records += t.Records
		sum.Bytes += t.Bytes
		sum.Marks += t.Marks
	}
	return sum
}
