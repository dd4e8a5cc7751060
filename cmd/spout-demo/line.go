package main

import "github.com/kspout/kspout/spout"

// A line is one delivery as tail shows it.
type line struct {
	topic     string
	partition int32
	offset    int64
	timestamp int64 // Unix ms
	attempt   int
	key       []byte // nil: null
	value     []byte // nil: null
	headers   []spout.Header
	failed    bool // --fail-rate is going to fail it
}

func lineOf(t *spout.Tuple) line {
	return line{
		topic: t.Topic(), partition: t.Partition(), offset: t.Offset(), timestamp: t.Timestamp().UnixMilli(),
		attempt: t.Attempt(), key: t.Key(), value: t.Value(), headers: t.Headers(),
	}
}

// An appender appends a line, in some form, to dst.
type appender func(dst []byte, l *line) []byte
