package fetch

import (
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
)

// The requests that this package makes.
const (
	keyFetch          int16 = 1
	keyListOffsets    int16 = 2
	keyMetadata       int16 = 3
	keyApiVersions    int16 = 18
	keyOffsetForEpoch int16 = 23
)

// A versionRange is what both sides of a connection, or one of them, speak of a
// request.
type versionRange struct{ min, max int16 }

// pick returns the highest version that both speak.
func (v versionRange) pick(peer versionRange) (int16, bool) {
	best := min(v.max, peer.max)
	return best, best >= max(v.min, peer.min)
}

// learnVersions asks the broker at the other end of rw what it speaks. Version 0
// of this request is understood by every broker.
func learnVersions(rw io.ReadWriter, clientID string) (map[int16]versionRange, error) {
	ask := call[map[int16]versionRange]{
		key:      keyApiVersions,
		clientID: clientID,
		encode:   func(*writer, int16) {},
		decode: func(r *reader, _ int16) (map[int16]versionRange, error) {
			if code := r.int16(); code != 0 {
				return nil, kafka.Error(code)
			}
			known := make(map[int16]versionRange)
			for range r.array() {
				known[r.int16()] = versionRange{r.int16(), r.int16()}
			}
			return known, nil
		},
	}
	known, err := ask.exchange(rw, rw, 0)
	if err != nil {
		return nil, fmt.Errorf("api versions: %w", err)
	}
	return known, nil
}
