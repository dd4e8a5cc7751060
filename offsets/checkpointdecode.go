package offsets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// DecodeCheckpoint reads the JSON form of a checkpoint of p, as
// [Checkpoint.Encode] or storm-kafka wrote it.
//
// Only "offset" is required. Where they are there, "topic" and "partition" must
// be p's. Without "leaderEpoch" or "ackedEpoch" that epoch is -1. A key whose
// value is null counts as absent. Keys that this package doesn't know go to
// Extra; inside "topology", "broker" and "owner" they are ignored, for they tell
// more of what a rewrite replaces.
//
// Everything else is an error: what isn't one JSON object, a key that comes
// twice, a value of another type or out of its range, acked ranges that descend,
// overlap or don't lie above the offset, both forms of them, a format above
// [Format]. The error doesn't name p: the store wraps it in an
// [UnreadableError], which names the path. The memory used is bounded by a
// multiple of len(data), and nothing returned refers to data.
//
// An acked range may be as wide as offsets go, whatever the size of data:
// don't walk it offset by offset.
func DecodeCheckpoint(data []byte, p Partition) (Checkpoint, error) {
	members, err := jsonDocument(data)
	if err != nil {
		return Checkpoint{}, err
	}
	// First of all: a newer form may give any other key another meaning.
	format := jsonFields{"format": checkFormat}
	if err := format.read(members, func(jsonMember) {}); err != nil {
		return Checkpoint{}, err
	}

	c := Checkpoint{Partition: p, Offset: -1, LeaderEpoch: -1, AckedEpoch: -1}
	var acked, ackedBits *string
	fields := jsonFields{
		"topology":    jsonInner(jsonFields{"id": jsonString(&c.Instance), "name": jsonString(&c.ID)}),
		"offset":      jsonInt(&c.Offset, 0, math.MaxInt64),
		"partition":   func(v json.RawMessage) error { return checkNumber(v, p) },
		"broker":      jsonInner(jsonFields{"host": jsonString(&c.Broker.Host), "port": jsonInt(&c.Broker.Port, 0, math.MaxInt32)}),
		"topic":       func(v json.RawMessage) error { return checkTopic(v, p) },
		"format":      checkFormat,
		"acked":       jsonStringPointer(&acked),
		"ackedBits":   jsonStringPointer(&ackedBits),
		"topicId":     func(v json.RawMessage) error { return readTopicID(v, &c.TopicID) },
		"leaderEpoch": jsonInt(&c.LeaderEpoch, 0, math.MaxInt32),
		"ackedEpoch":  jsonInt(&c.AckedEpoch, 0, math.MaxInt32),
		"owner":       func(v json.RawMessage) error { return readOwner(v, &c.Owner) },
	}
	err = fields.read(members, func(m jsonMember) {
		if c.Extra == nil {
			c.Extra = map[string]json.RawMessage{}
		}
		c.Extra[m.key] = m.value
	})
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Offset < 0 {
		return Checkpoint{}, errors.New("offset: missing")
	}
	switch {
	case acked != nil && ackedBits != nil:
		err = errors.New("both acked and ackedBits")
	case acked != nil:
		c.Acked, err = parseAckedText(*acked, c.Offset)
	case ackedBits != nil:
		c.Acked, err = parseAckedBits(*ackedBits, c.Offset)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// jsonDocument returns the members of the object that data consists of.
func jsonDocument(data []byte) ([]jsonMember, error) {
	if len(data) == 0 {
		return nil, errors.New("no bytes")
	}
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8")
	}
	var document json.RawMessage
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return jsonMembers(document)
}

func checkFormat(value json.RawMessage) error {
	var format int64
	if err := jsonInt(&format, 1, math.MaxInt64)(value); err != nil {
		return err
	}
	if format > Format {
		return fmt.Errorf("%d, from a newer version; this one reads up to %d", format, Format)
	}
	return nil
}

func checkNumber(value json.RawMessage, p Partition) error {
	var number int32
	if err := jsonInt(&number, 0, math.MaxInt32)(value); err != nil {
		return err
	}
	if number != p.Number {
		return fmt.Errorf("%d, want %d", number, p.Number)
	}
	return nil
}

func checkTopic(value json.RawMessage, p Partition) error {
	var topic string
	if err := jsonString(&topic)(value); err != nil {
		return err
	}
	if topic != p.Topic {
		return fmt.Errorf("%s, want %q", excerpt(value), p.Topic)
	}
	return nil
}

func readTopicID(value json.RawMessage, id *TopicID) error {
	var text string
	err := jsonString(&text)(value)
	if err == nil {
		*id, err = ParseTopicID(text)
	}
	if err != nil {
		return fmt.Errorf("want 22 characters of URL-safe base64, not %s", excerpt(value))
	}
	return nil
}

// readOwner reads an owner, all of whose keys are required: it decides who may
// write.
func readOwner(value json.RawMessage, owner **Owner) error {
	members, err := jsonMembers(value)
	if err != nil {
		return err
	}
	o := new(Owner)
	missing := map[string]bool{"member": true, "epoch": true, "generation": true}
	for _, m := range members {
		if !m.isNull() {
			delete(missing, m.key)
		}
	}
	for key := range missing {
		return fmt.Errorf("%s: missing", key)
	}
	*owner = o
	return jsonFields{
		"member":     jsonString(&o.Member),
		"epoch":      jsonInt(&o.Epoch, math.MinInt64, math.MaxInt64),
		"generation": jsonInt(&o.Generation, math.MinInt64, math.MaxInt64),
	}.read(members, func(jsonMember) {})
}
