package main

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// appendJSON appends l as one JSON object, and a newline. Bytes that aren't UTF-8
// come as {"base64":…}, so that nothing is changed on the way.
func appendJSON(dst []byte, l *line) []byte {
	dst = append(dst, `{"topic":`...)
	dst = appendString(dst, []byte(l.topic))
	dst = append(dst, `,"partition":`...)
	dst = strconv.AppendInt(dst, int64(l.partition), 10)
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, l.offset, 10)
	dst = append(dst, `,"timestamp":`...)
	dst = strconv.AppendInt(dst, l.timestamp, 10)
	dst = append(dst, `,"attempt":`...)
	dst = strconv.AppendInt(dst, int64(l.attempt), 10)
	dst = append(dst, `,"key":`...)
	dst = appendBytes(dst, l.key)
	dst = append(dst, `,"value":`...)
	dst = appendBytes(dst, l.value)
	dst = append(dst, `,"headers":[`...)
	for i, h := range l.headers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"key":`...)
		dst = appendBytes(dst, []byte(h.Key))
		dst = append(dst, `,"value":`...)
		dst = appendBytes(dst, h.Value)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if l.failed {
		dst = append(dst, `,"failed":true`...)
	}
	return append(dst, "}\n"...)
}

// appendBytes appends a string, null for nil, or an object if b isn't UTF-8.
func appendBytes(dst, b []byte) []byte {
	switch {
	case b == nil:
		return append(dst, "null"...)
	case utf8.Valid(b):
		return appendString(dst, b)
	}
	dst = append(dst, `{"base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, `"}`...)
}

const hexDigits = "0123456789abcdef"

// appendString appends s, which is UTF-8, as a JSON string.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
