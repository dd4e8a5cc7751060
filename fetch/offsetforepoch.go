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
			w.byTopic(ps, func(p located) {
				w.int32(p.partition.Number)
				w.int32(p.info.LeaderEpoch)
				w.int32(epochs[p.index])
			})
			w.tags()
		},
		decode: func(r *reader, _ int16) (map[offsets.Partition]epochAnswer, error) {
			r.int32() // throttle time
			return readByTopic(r, "answer about leader epochs", func() (number int32, a epochAnswer) {
				a.code = kafka.Error(r.int16())
				number = r.int32()
				a.epoch = r.int32()
				a.end = r.int64()
				return number, a
			})
		},
	}
}
