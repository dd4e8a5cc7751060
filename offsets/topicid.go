package offsets

import (
	"encoding/base64"
	"fmt"
)

// A TopicID is Kafka's id of one incarnation of a topic (KIP-516). A topic that
// is deleted and created again under the same name has another id. The zero
// TopicID means that the id isn't known, as with brokers older than 2.8.
type TopicID [16]byte

// IsZero reports whether the id isn't known.
func (id TopicID) IsZero() bool { return id == TopicID{} }

// String returns id as Kafka's tools print it: 22 characters of URL-safe base64
// without padding.
func (id TopicID) String() string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// ParseTopicID reads what [TopicID.String] returns.
func ParseTopicID(s string) (TopicID, error) {
	var id TopicID
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(id) {
		return TopicID{}, fmt.Errorf("offsets: topic id %q: want 22 characters of URL-safe base64", s)
	}
	copy(id[:], b)
	return id, nil
}
