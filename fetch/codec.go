package fetch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The codecs, as a batch's attributes number them.
const (
	codecNone int8 = iota
	codecGzip
	codecSnappy
	codecLZ4
	codecZstd
)

// maxInflated bounds what one batch may inflate to, in bytes. The format itself
// ends at 2 GiB.
const maxInflated = 1 << 30

// maxScratch is the largest scratch buffer that is kept, in bytes.
const maxScratch = 4 << 20

// An inflater decompresses the records of batches. Safe for concurrent use.
type inflater struct {
	limit int // bytes that one batch may inflate to
	zstd  *zstd.Decoder
}

// newInflater returns an inflater that refuses what inflates to more than limit
// bytes.
func newInflater(limit int) *inflater {
	// Only DecodeAll is used, which starts no goroutine. It allocates what a
	// frame claims only as far as the input could inflate to it. Its maximum
	// bounds windows too, and a small frame may have the usual one of 8 MiB.
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(max(limit, 8<<20))))
	if err != nil {
		panic("fetch: zstd: " + err.Error()) // the options are constants
	}
	return &inflater{limit: limit, zstd: d}
}

var defaultDecoder = sync.OnceValue(func() *decoder { return &decoder{newInflater(maxInflated)} })

// scratch holds buffers whose final size isn't known when they're filled. Only
// exact copies leave this file, so that a batch pins no more than its own bytes.
var scratch = sync.Pool{New: func() any { return new(make([]byte, 0, 64<<10)) }}

// inflate returns src decompressed, in memory of its own.
func (d *inflater) inflate(codec int8, src []byte) ([]byte, error) {
	var out []byte
	var err error
	switch codec {
	case codecGzip:
		out, err = d.scratched(src, d.gunzip)
	case codecSnappy:
		out, err = d.unsnappy(src)
	case codecLZ4:
		out, err = d.scratched(src, d.unlz4)
	case codecZstd:
		out, err = d.scratched(src, d.unzstd)
	default:
		return nil, fmt.Errorf("%w: codec %d", ErrUnsupported, codec)
	}
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, codecName(codec), err)
	}
	return out, err
}

func codecName(codec int8) string {
	return [...]string{"none", "gzip", "snappy", "lz4", "zstd"}[codec]
}

func (d *inflater) tooLarge() error {
	return fmt.Errorf("%w: inflates to more than %d bytes", ErrTooLarge, d.limit)
}

// scratched runs inflate on a scratch buffer and returns a copy of the result.
func (d *inflater) scratched(src []byte, inflate func(dst, src []byte) ([]byte, error)) ([]byte, error) {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	out, err := inflate((*buf)[:0], src)
	if err != nil {
		return nil, err
	}
	if cap(out) > maxScratch {
		return slices.Clip(out), nil // too large to keep: it goes out as it is
	}
	*buf = out[:0]
	return bytes.Clone(out), nil
}

func (d *inflater) unzstd(dst, src []byte) ([]byte, error) {
	out, err := d.zstd.DecodeAll(src, dst)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || len(out) > d.limit {
		return nil, d.tooLarge()
	}
	return out, err
}

// gzipReaders and lz4Readers keep their windows for the next batch.
var (
	gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
	lz4Readers  = sync.Pool{New: func() any { return lz4.NewReader(nil) }}
)

func (d *inflater) gunzip(dst, src []byte) ([]byte, error) {
	r := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(r)
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	return d.readAll(dst, r)
}

func (d *inflater) unlz4(dst, src []byte) ([]byte, error) {
	r := lz4Readers.Get().(*lz4.Reader)
	defer lz4Readers.Put(r)
	r.Reset(bytes.NewReader(src))
	return d.readAll(dst, r)
}

// readAll appends to dst all that r yields.
func (d *inflater) readAll(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) > d.limit {
			return nil, d.tooLarge()
		}
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, max(512, len(dst)))
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), d.limit+1)])
		dst = dst[:len(dst)+n]
		if err == io.EOF && len(dst) <= d.limit {
			return dst, nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
}

// xerial is how snappy-java's framing begins: a magic of 8 bytes, then version
// and compatible version of 4 bytes each; then blocks, each behind its length.
const (
	xerial           = "\x82SNAPPY\x00"
	xerialHeaderSize = 16
)

func (d *inflater) unsnappy(src []byte) ([]byte, error) {
	if len(src) < xerialHeaderSize || string(src[:len(xerial)]) != xerial {
		n, err := d.snappySize(src, 0)
		if err != nil {
			return nil, err
		}
		return snappy.Decode(make([]byte, n), src)
	}
	src = src[xerialHeaderSize:]
	size := 0
	for block := range xerialBlocks(src) {
		n, err := d.snappySize(block, size)
		if err != nil {
			return nil, err
		}
		size += n
	}
	out := make([]byte, 0, size)
	for block, ok := range xerialBlocks(src) {
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		got, err := snappy.Decode(out[len(out):cap(out)], block)
		if err != nil {
			return nil, err
		}
		out = out[:len(out)+len(got)]
	}
	return out, nil
}

// xerialBlocks yields the blocks in src, and at last false if src ends in the
// middle of one.
func xerialBlocks(src []byte) func(yield func([]byte, bool) bool) {
	return func(yield func([]byte, bool) bool) {
		for len(src) > 0 {
			if len(src) < 4 {
				yield(src, false)
				return
			}
			n := binary.BigEndian.Uint32(src)
			src = src[4:]
			if uint64(n) > uint64(len(src)) {
				yield(src, false)
				return
			}
			if !yield(src[:n], true) {
				return
			}
			src = src[n:]
		}
	}
}

// snappySize returns what block inflates to, if that is possible and within the
// limit together with what other blocks take. Three bytes of snappy stand for at
// most 64.
func (d *inflater) snappySize(block []byte, others int) (int, error) {
	n, err := snappy.DecodedLen(block)
	if err != nil {
		return 0, err
	}
	if n > d.limit-others {
		return 0, d.tooLarge()
	}
	if n > 64*len(block) {
		return 0, snappy.ErrCorrupt
	}
	return n, nil
}
