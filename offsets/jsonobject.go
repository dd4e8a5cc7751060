package offsets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A jsonMember is one key and value of a JSON object.
type jsonMember struct {
	key string

	// value is as it stands in the document, without space around it.
	value json.RawMessage
}

// isNull reports whether the value is null, which counts as absent.
func (m jsonMember) isNull() bool { return string(m.value) == "null" }

// jsonMembers splits a valid JSON value into its members. A value that isn't an
// object, and a key that comes twice, are errors: which one counts would depend
// on the reader. The members' values are copies.
//
// The reflecting decoder of encoding/json isn't used on an object: it takes
// "Offset" for "offset", and the last one of two equal keys.
func jsonMembers(value json.RawMessage) ([]jsonMember, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want an object, not %s", excerpt(value))
	}
	var members []jsonMember
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if seen[key] {
			return nil, fmt.Errorf("%s comes twice", excerpt([]byte(strconv.Quote(key))))
		}
		seen[key] = true
		m := jsonMember{key: key}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// jsonFields are the keys that an object may have, and what reads their values.
type jsonFields map[string]func(value json.RawMessage) error

// read has the members read, and calls unknown for those whose key isn't in f.
// Null isn't read. An error begins with the key.
func (f jsonFields) read(members []jsonMember, unknown func(jsonMember)) error {
	for _, m := range members {
		read, known := f[m.key]
		switch {
		case !known:
			unknown(m)
		case m.isNull():
		default:
			if err := read(m.value); err != nil {
				return fmt.Errorf("%s: %w", m.key, err)
			}
		}
	}
	return nil
}

// jsonInner reads an object in an object. Keys that aren't in f are ignored.
func jsonInner(f jsonFields) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		members, err := jsonMembers(value)
		if err != nil {
			return err
		}
		return f.read(members, func(jsonMember) {})
	}
}

// jsonInt reads an integer of low to high, exactly: it never becomes a float.
func jsonInt[I int32 | int64](into *I, low, high int64) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < low || n > high {
			return fmt.Errorf("want an integer from %d to %d, not %s", low, high, excerpt(value))
		}
		*into = I(n)
		return nil
	}
}

func jsonString(into *string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		if value[0] != '"' {
			return fmt.Errorf("want a string, not %s", excerpt(value))
		}
		return json.Unmarshal(value, into)
	}
}

// jsonStringPointer is jsonString for a key that may be absent.
func jsonStringPointer(into **string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		*into = new(string)
		return jsonString(*into)(value)
	}
}

// appendJSONString appends s as a JSON string. What isn't UTF-8 in it becomes
// U+FFFD.
func appendJSONString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // every string has an encoding
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})...)
}

// excerpt returns what an error message shows of value.
func excerpt(value []byte) string {
	const limit = 60 // bytes
	if len(value) <= limit {
		return string(value)
	}
	return fmt.Sprintf("%s... (%d bytes)", bytes.ToValidUTF8(value[:limit], nil), len(value))
}
