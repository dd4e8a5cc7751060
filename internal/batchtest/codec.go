package batchtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A Codec is how the records of a batch are compressed.
type Codec int8

// The codecs of Kafka. Xerial is snappy in the framing of snappy-java, which
// Java producers write.
const (
	None Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd
	Xerial
)

// Codecs lists all of them.
var Codecs = []Codec{None, Gzip, Snappy, LZ4, Zstd, Xerial}

// String returns the codec's name in Kafka's configuration, "xerial" apart.
func (c Codec) String() string {
	return [...]string{"none", "gzip", "snappy", "lz4", "zstd", "xerial"}[c]
}

// bits returns the codec's number in a batch's attributes.
func (c Codec) bits() int16 {
	if c == Xerial {
		return int16(Snappy)
	}
	return int16(c)
}

// xerialBlock is the block size of snappy-java: 32 KiB.
const xerialBlock = 32 << 10

func (c Codec) compress(b []byte) []byte {
	var out bytes.Buffer
	switch c {
	case None:
		return b
	case Gzip:
		return stream(&out, gzip.NewWriter(&out), b)
	case LZ4:
		w := lz4.NewWriter(&out)
		must(w.Apply(lz4.BlockSizeOption(lz4.Block64Kb)))
		return stream(&out, w, b)
	case Zstd:
		w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		must(err)
		return stream(&out, w, b)
	case Snappy:
		return snappy.Encode(nil, b)
	case Xerial:
		out.WriteString("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
		for len(b) > 0 {
			n := min(len(b), xerialBlock)
			block := snappy.Encode(nil, b[:n])
			must(binary.Write(&out, binary.BigEndian, int32(len(block))))
			out.Write(block)
			b = b[n:]
		}
		return out.Bytes()
	}
	panic(fmt.Sprintf("batchtest: codec %d", c))
}

func stream(out *bytes.Buffer, w io.WriteCloser, b []byte) []byte {
	_, err := w.Write(b)
	must(err)
	must(w.Close())
	return out.Bytes()
}

// must panics on an error that writing to memory can't cause.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("batchtest: %v", err))
	}
}
