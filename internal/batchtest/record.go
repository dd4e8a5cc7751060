package batchtest

import "encoding/binary"

// A Record is one record of a [Batch]. A nil Key or Value is null.
type Record struct {
	// Delta is the record's offset less the batch's base.
	Delta int32
	// TimestampDelta is in milliseconds after the batch's first timestamp.
	TimestampDelta int64
	Key, Value     []byte
	Headers        []Header
}

// A Header is one header of a [Record]. A nil Value is null.
type Header struct {
	Key   string
	Value []byte
}

func (r Record) append(out []byte) []byte {
	body := []byte{0} // attributes, unused
	body = binary.AppendVarint(body, r.TimestampDelta)
	body = binary.AppendVarint(body, int64(r.Delta))
	body = appendBytes(body, r.Key)
	body = appendBytes(body, r.Value)
	body = binary.AppendVarint(body, int64(len(r.Headers)))
	for _, h := range r.Headers {
		body = appendBytes(body, []byte(h.Key))
		body = appendBytes(body, h.Value)
	}
	out = binary.AppendVarint(out, int64(len(body)))
	return append(out, body...)
}

func appendBytes(out, b []byte) []byte {
	if b == nil {
		return binary.AppendVarint(out, -1)
	}
	out = binary.AppendVarint(out, int64(len(b)))
	return append(out, b...)
}
