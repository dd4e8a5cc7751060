package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"
)

// maxLine is the longest line that is read: Kafka takes no larger requests.
const maxLine = 100 << 20

// A lineFormat says how a line of input becomes a record.
type lineFormat struct {
	key       []byte // of every record; nil: none
	separator []byte // between key and value; empty: the line is the value
	emptyNull bool   // an empty value, and with separator key, is null
	headers   []kgo.RecordHeader
}

// record returns the record that a line stands for. A line without the separator
// is a value without a key.
func (f *lineFormat) record(text []byte) *kgo.Record {
	r := &kgo.Record{Key: f.key, Value: text, Headers: f.headers}
	if len(f.separator) > 0 {
		if key, value, ok := bytes.Cut(text, f.separator); ok {
			r.Key, r.Value = key, value
		}
		if f.emptyNull && len(r.Key) == 0 {
			r.Key = nil
		}
	}
	if f.emptyNull && len(r.Value) == 0 {
		r.Value = nil
	}
	return r
}

// readLines calls each with the lines of r, without their ends, counted from 1,
// until it returns an error. The bytes are each's to keep.
func readLines(r io.Reader, each func(n int64, text []byte) error) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := int64(1); ; n++ {
		text, err := readLine(br)
		switch {
		case errors.Is(err, io.EOF) && text == nil:
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := each(n, text); err != nil {
			return err
		}
	}
}

// readLine returns the next line, not nil, or io.EOF and nil at the end. The last
// one may lack its newline.
func readLine(br *bufio.Reader) ([]byte, error) {
	text := []byte{}
	for {
		part, err := br.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case err == nil:
			return text[:len(text)-1], nil
		case len(text) > maxLine:
			return nil, fmt.Errorf("it is longer than %d bytes", maxLine)
		case errors.Is(err, io.EOF) && len(text) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return text, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
