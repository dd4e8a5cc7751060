package measure

// A Job is what a contender is to do: read all records of one topic, from offset
// 0 of each partition to its end.
type Job struct {
	Contender string   `json:"contender"`
	Brokers   []string `json:"brokers"`
	ZooKeeper []string `json:"zookeeper"`
	Topic     string   `json:"topic"`

	// Ends are one past the last offset of each partition. The logs start at 0
	// and have no gaps.
	Ends []int64 `json:"ends"`

	// Want is what the contender has to have seen in the end.
	Want Tally `json:"want"`

	// FetchBytes is what to ask for of a partition at a time; 0: what the
	// contender asks for by default.
	FetchBytes int32 `json:"fetch_bytes"`

	// Profile and Heap, if not empty, are files to write a profile of the
	// processor time, and of all allocations, to.
	Profile string `json:"profile,omitempty"`
	Heap    string `json:"heap,omitempty"`
}

// Records returns the number of records to read.
func (j *Job) Records() int64 { return j.Want.Records }
