package fetch

import (
	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/offsets"
)

// Times that stand for the ends of a log in a list offsets request. Others are
// Unix milliseconds.
const (
	atLatest   int64 = -1
	atEarliest int64 = -2
)

// A listAnswer is what the leader says of one partition.
type listAnswer struct {
	offset int64 // -1: no record at or after the time
	code   kafka.Error
}

// listOffsetsCall asks the leader of all ps, of which the epochs are known, for
// the offset at a time. Version 5 may answer OFFSET_NOT_AVAILABLE where older
// ones told a number that a new leader hadn't settled.
func listOffsetsCall(ps []located, time int64, isolation Isolation) *call[map[offsets.Partition]listAnswer] {
	return &call[map[offsets.Partition]listAnswer]{
		key:      keyListOffsets,
		speak:    versionRange{5, 7},
		flexible: 6,
		encode: func(w *writer, _ int16) {
			w.int32(-1) // replica id: a consumer
			w.int8(isolation.wire())
			w.byTopic(ps, func(p located) {
				w.int32(p.partition.Number)
				w.int32(p.info.LeaderEpoch)
				w.int64(time)
			})
			w.tags()
		},
		decode: func(r *reader, _ int16) (map[offsets.Partition]listAnswer, error) {
			r.int32() // throttle time
			return readByTopic(r, "list offsets answer", func() (number int32, a listAnswer) {
				number = r.int32()
				a.code = kafka.Error(r.int16())
				r.int64() // timestamp
				a.offset = r.int64()
				r.int32() // leader epoch
				return number, a
			})
		},
	}
}
