package offsets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Format is the version of the JSON form of a [Checkpoint] that this package
// writes, and the highest one that it reads.
const Format = 1

// checkpointKeys are the keys of the JSON form, in the order in which they are
// written. The first five are those of Storm's storm-kafka.
var checkpointKeys = []string{
	"topology", "offset", "partition", "broker", "topic",
	"format", "acked", "ackedBits", "topicId", "leaderEpoch", "ackedEpoch", "owner",
}

// Encode returns the JSON form of c, without spaces:
//
//	{"topology":{"id":"<Instance>","name":"<ID>"},"offset":42,"partition":3,
//	 "broker":{"host":"10.0.0.1","port":9092},"topic":"orders",
//	 "format":1,"acked":"44-47,50","topicId":"<22 characters>",
//	 "leaderEpoch":3,"ackedEpoch":3,
//	 "owner":{"member":"host-1","epoch":8589934610,"generation":7}}
//
// The first five keys are storm-kafka's, with its meaning and in its order, so
// that a topology can go on from what is stored. Acked is written as inclusive
// ranges, or, where that member is longer, as "ackedBits": a bitmap in padded
// base64, whose bit i, least significant first, stands for Offset + 1 + i. From
// "acked" on, what isn't known or is empty is left out. The keys of Extra come
// last, sorted.
//
// The error says which field holds a value that the form can't express, or that
// breaks what [Checkpoint] says of it.
func (c Checkpoint) Encode() ([]byte, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("offsets: checkpoint of %s: %w", c.Partition, err)
	}
	return c.append(nil), nil
}

// append appends the JSON form of c, which is valid.
func (c Checkpoint) append(b []byte) []byte {
	b = append(b, `{"topology":{"id":`...)
	b = appendJSONString(b, c.Instance)
	b = append(b, `,"name":`...)
	b = appendJSONString(b, c.ID)
	b = append(b, `},"offset":`...)
	b = strconv.AppendInt(b, c.Offset, 10)
	b = append(b, `,"partition":`...)
	b = strconv.AppendInt(b, int64(c.Partition.Number), 10)
	b = append(b, `,"broker":{"host":`...)
	b = appendJSONString(b, c.Broker.Host)
	b = append(b, `,"port":`...)
	b = strconv.AppendInt(b, int64(c.Broker.Port), 10)
	b = append(b, `},"topic":`...)
	b = appendJSONString(b, c.Partition.Topic)
	b = append(b, `,"format":`...)
	b = strconv.AppendInt(b, Format, 10)
	b = c.appendAcked(b)
	if !c.TopicID.IsZero() {
		b = append(b, `,"topicId":"`...)
		b = append(b, c.TopicID.String()...)
		b = append(b, '"')
	}
	if c.LeaderEpoch >= 0 {
		b = append(b, `,"leaderEpoch":`...)
		b = strconv.AppendInt(b, int64(c.LeaderEpoch), 10)
	}
	if c.AckedEpoch >= 0 {
		b = append(b, `,"ackedEpoch":`...)
		b = strconv.AppendInt(b, int64(c.AckedEpoch), 10)
	}
	if c.Owner != nil {
		b = append(b, `,"owner":{"member":`...)
		b = appendJSONString(b, c.Owner.Member)
		b = append(b, `,"epoch":`...)
		b = strconv.AppendInt(b, c.Owner.Epoch, 10)
		b = append(b, `,"generation":`...)
		b = strconv.AppendInt(b, c.Owner.Generation, 10)
		b = append(b, '}')
	}
	for _, key := range slices.Sorted(maps.Keys(c.Extra)) {
		b = append(b, ',')
		b = appendJSONString(b, key)
		b = append(b, ':')
		b = append(b, c.Extra[key]...)
	}
	return append(b, '}')
}

const (
	ackedKey     = `,"acked":`
	ackedBitsKey = `,"ackedBits":`
	quotes       = len(`""`)
)

// appendAcked appends the member for Acked in the shorter form, key and all, and
// in text where both are equal.
func (c Checkpoint) appendAcked(b []byte) []byte {
	if len(c.Acked) == 0 {
		return b
	}
	start := len(b)
	b = append(b, ackedKey+`"`...)
	b = appendAckedText(b, c.Acked)
	b = append(b, '"')
	bits := int64(len(ackedBitsKey)+quotes) + ackedBitsLen(c.Offset, c.Acked[len(c.Acked)-1].To)
	if bits >= int64(len(b)-start) {
		return b
	}
	b = append(b[:start], ackedBitsKey+`"`...)
	b = appendAckedBits(b, c.Offset, c.Acked)
	return append(b, '"')
}

// validate returns why c can't be encoded, or nil.
func (c Checkpoint) validate() error {
	if c.Partition.Number < 0 {
		return fmt.Errorf("partition %d is negative", c.Partition.Number)
	}
	if c.Offset < 0 {
		return fmt.Errorf("offset %d is negative", c.Offset)
	}
	if c.Broker.Port < 0 {
		return fmt.Errorf("broker port %d is negative", c.Broker.Port)
	}
	texts := []struct{ name, text string }{
		{"topic", c.Partition.Topic}, {"id", c.ID}, {"instance", c.Instance}, {"broker host", c.Broker.Host},
	}
	if c.Owner != nil {
		texts = append(texts, struct{ name, text string }{"owner's member", c.Owner.Member})
	}
	for key, value := range c.Extra {
		switch {
		case slices.Contains(checkpointKeys, key):
			return fmt.Errorf("extra key %q is one of the form's own", key)
		case !utf8.Valid(value) || !json.Valid(value):
			return fmt.Errorf("extra key %q: its value isn't JSON", key)
		}
		texts = append(texts, struct{ name, text string }{"extra key", key})
	}
	for _, t := range texts {
		if !utf8.ValidString(t.text) {
			return fmt.Errorf("%s %q isn't UTF-8", t.name, t.text)
		}
	}
	return c.validateAcked()
}

func (c Checkpoint) validateAcked() error {
	end := c.Offset
	for _, r := range c.Acked {
		switch {
		case r.Len() == 0:
			return fmt.Errorf("acked range %s is empty", r)
		case r.From <= end && end == c.Offset:
			return fmt.Errorf("acked range %s isn't above offset %d", r, c.Offset)
		case r.From <= end:
			return fmt.Errorf("acked range %s isn't above the one before it, and apart from it", r)
		}
		end = r.To
	}
	return nil
}
