package offsets

import (
	"cmp"
	"strconv"
)

// A Partition names one partition of one topic.
type Partition struct {
	Topic  string
	Number int32
}

// String returns topic/number, as "orders/3".
func (p Partition) String() string { return p.Topic + "/" + strconv.Itoa(int(p.Number)) }

// Compare orders partitions by topic, then by number.
func (p Partition) Compare(q Partition) int {
	return cmp.Or(cmp.Compare(p.Topic, q.Topic), cmp.Compare(p.Number, q.Number))
}
