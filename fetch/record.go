package fetch

import "time"

// A Record is one record of a partition. Key, Value and the values of Headers
// alias the memory of its [Batch]: they must not be modified, and may be kept
// for as long as one likes, which keeps the batch.
type Record struct {
	Offset int64

	// Timestamp is the producer's, or the broker's where the topic says so. It
	// is 1 ms before 1970 where the record has none.
	Timestamp time.Time

	// Key and Value are nil if they're null in Kafka, and empty but not nil if
	// they're empty there.
	Key, Value []byte

	// Headers are in their order; keys may repeat. Nil if there are none.
	Headers []Header
}

// A Header is one header of a record. Value is nil if it's null in Kafka.
type Header struct {
	Key   string
	Value []byte
}

// checkRecord walks the record that lies in b[i:end], from its timestamp on, and
// returns its offset delta. It is false unless the record ends exactly there.
// What it has accepted, the accessors of Batch read without a check of their own.
func checkRecord(b []byte, i, end int) (delta int32, ok bool) {
	b = b[:end]
	if _, i = varint(b, i); i < 0 { // timestamp delta
		return 0, false
	}
	if delta, i = varint32(b, i); i < 0 {
		return 0, false
	}
	if i = skipField(b, i); i < 0 { // key
		return 0, false
	}
	if i = skipField(b, i); i < 0 { // value
		return 0, false
	}
	n, i := varint32(b, i)
	if n == 0 {
		return delta, i == end
	}
	// A header takes two bytes or more, its two lengths.
	if i < 0 || n < 0 || int(n) > (end-i)/2 {
		return 0, false
	}
	for range n {
		size, at := varint32(b, i)
		if at < 0 || size < 0 || int(size) > end-at { // a header's key is never null
			return 0, false
		}
		if i = skipField(b, at+int(size)); i < 0 {
			return 0, false
		}
	}
	return delta, i == end
}
