package measure

// A Result is what one run of a contender took, from before it connected to when
// it had seen the last record; what commits, till all was committed.
type Result struct {
	Contender string `json:"contender"`
	Tally     Tally  `json:"tally"`

	Seconds       float64 `json:"seconds"`
	UserSeconds   float64 `json:"user_seconds"`   // processor time of the process
	SystemSeconds float64 `json:"system_seconds"` // spent in the kernel for it

	// Allocs and AllocBytes are those of Go's heap.
	Allocs     uint64 `json:"allocs"`
	AllocBytes uint64 `json:"alloc_bytes"`
	GCs        uint32 `json:"gcs"`

	PeakRSS int64 `json:"peak_rss"` // bytes, of the whole life of the process

	// Delays are in nanoseconds from produce to callback, of a run that measures
	// latency.
	Delays []int64 `json:"delays,omitempty"`
}

// CPUPerRecord returns the nanoseconds of processor time, user and system.
func (r *Result) CPUPerRecord() float64 {
	return (r.UserSeconds + r.SystemSeconds) * 1e9 / float64(r.Tally.Records)
}

// SystemPerRecord returns the kernel's share of CPUPerRecord.
func (r *Result) SystemPerRecord() float64 {
	return r.SystemSeconds * 1e9 / float64(r.Tally.Records)
}

// RecordsPerSecond returns the throughput by the clock on the wall.
func (r *Result) RecordsPerSecond() float64 { return float64(r.Tally.Records) / r.Seconds }

// MegabytesPerSecond returns 10^6 bytes of values a second.
func (r *Result) MegabytesPerSecond() float64 { return float64(r.Tally.Bytes) / r.Seconds / 1e6 }

// AllocsPerRecord returns the allocations on Go's heap.
func (r *Result) AllocsPerRecord() float64 { return float64(r.Allocs) / float64(r.Tally.Records) }

// BytesPerRecord returns the bytes allocated on Go's heap.
func (r *Result) BytesPerRecord() float64 { return float64(r.AllocBytes) / float64(r.Tally.Records) }
