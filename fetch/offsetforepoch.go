package fetch

import (
	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/offsets"
)

// An epochAnswer is what the leader says of an epoch of one partition.
type epochAnswer struct {
	epochEnd
	code kafka.Error
}

// offsetForEpochCall asks the leader of all ps where epochs, by the partitions'
// indices, end in its log (KIP-320).
func offsetForEpochCall(ps []located, epochs map[int]int32) *call[map[offsets.Partition]epochAnswer] {
	return &call[map[offsets.Partition]epochAnswer]{
		key:      keyOffsetForEpoch,
		speak:    versionRange{3, 4},
		flexible: 4,
		encode: func(w *writer, _ int16) {
			w.int32(-1) // replica id: a consumer
			groups := byTopic(ps)
			w.array(len(groups))
			for topic, numbers := range groups {
				w.string(topic)
				w.array(len(numbers))
				for _, p := range numbers {
					w.int32(p.partition.Number)
					w.int32(p.info.LeaderEpoch)
					w.int32(epochs[p.index])
					w.tags()
				}
				w.tags()
			}
			w.tags()
		},
		decode: func(r *reader, _ int16) (map[offsets.Partition]epochAnswer, error) {
			got := make(map[offsets.Partition]epochAnswer, len(ps))
			r.int32() // throttle time
			for range r.array() {
				topic := r.string()
				for range r.array() {
					a := epochAnswer{code: kafka.Error(r.int16())}
					number := r.int32()
					a.epoch = r.int32()
					a.end = r.int64()
					r.tags()
					if r.bad {
						return nil, r.fault("malformed answer about leader epochs")
					}
					got[offsets.Partition{Topic: topic, Number: number}] = a
				}
				r.tags()
			}
			r.tags()
			return got, nil
		},
	}
}
