package contender

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/bench/measure"
)

// raw is the floor: one connection, one request under way, one buffer for all
// answers; checksum, decompression and a walk over the records, of which nothing
// is kept. The next request is out before the records are walked.
//
// It reads from the broker that it's told of, which has to lead all partitions.
func raw(ctx context.Context, job *measure.Run) (seen measure.Tally, _ []int64, err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", job.Brokers[0])
	if err != nil {
		return seen, nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	r := rawReader{conn: conn, in: bufio.NewReaderSize(conn, 16), next: make([]int64, len(job.Ends)), lz4: lz4.NewReader(nil)}
	r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return seen, nil, err
	}
	if err := r.send(job); err != nil {
		return seen, nil, err
	}
	for more := true; more; {
		parts, err := r.receive()
		if err != nil {
			return seen, nil, err
		}
		if more, err = r.forward(parts, job.Ends); err != nil {
			return seen, nil, err
		}
		if more {
			if err := r.send(job); err != nil {
				return seen, nil, err
			}
		}
		for i := range parts {
			if err := r.walk(parts[i].RecordBatches, &seen); err != nil {
				return seen, nil, err
			}
		}
	}
	return seen, nil, nil
}

type rawReader struct {
	conn net.Conn
	in   *bufio.Reader // of 16 bytes: what is larger goes past it
	next []int64       // offset to ask for, by partition

	request, answer []byte
	inflated        []byte // one batch
	zstd            *zstd.Decoder
	lz4             *lz4.Reader
}

// send asks for every partition that isn't through.
func (r *rawReader) send(job *measure.Run) error {
	req := kmsg.NewPtrFetchRequest()
	req.Version = 12
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 500, 1, 64<<20
	t := kmsg.NewFetchRequestTopic()
	t.Topic = job.Topic
	for i, next := range r.next {
		if next == job.Ends[i] {
			continue
		}
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = int32(i), next, max(job.FetchBytes, 1<<20)
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	r.request = kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(r.request[:0], req, 1)
	_, err := r.conn.Write(r.request)
	return err
}

// receive reads an answer. The batches are valid until the next call.
func (r *rawReader) receive() ([]kmsg.FetchResponseTopicPartition, error) {
	var size [4]byte
	if _, err := io.ReadFull(r.in, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(size[:]))
	if n > cap(r.answer) {
		r.answer = make([]byte, n)
	}
	r.answer = r.answer[:n]
	if _, err := io.ReadFull(r.in, r.answer); err != nil {
		return nil, err
	}
	resp := kmsg.NewPtrFetchResponse()
	resp.Version = 12
	const header = 4 + 1 // correlation id, no tags
	if err := resp.ReadFrom(r.answer[header:]); err != nil {
		return nil, err
	}
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 {
		return nil, fmt.Errorf("fetch: error %d, %d topics", resp.ErrorCode, len(resp.Topics))
	}
	return resp.Topics[0].Partitions, nil
}

const (
	batchPrefix = 12 // base offset and length
	batchHeader = 61
)

// forward moves r.next behind the whole batches of an answer, to which it cuts
// the partitions. It reports whether there is more to ask for.
func (r *rawReader) forward(parts []kmsg.FetchResponseTopicPartition, ends []int64) (more bool, err error) {
	for i := range parts {
		p := &parts[i]
		if p.ErrorCode != 0 {
			return false, fmt.Errorf("partition %d: error %d", p.Partition, p.ErrorCode)
		}
		at := 0
		for b := p.RecordBatches; len(b)-at >= batchHeader; {
			size := batchPrefix + int(binary.BigEndian.Uint32(b[at+8:]))
			if size > len(b)-at {
				break
			}
			r.next[p.Partition] = int64(binary.BigEndian.Uint64(b[at:])) + int64(binary.BigEndian.Uint32(b[at+23:])) + 1
			at += size
		}
		p.RecordBatches = p.RecordBatches[:at]
	}
	for i, next := range r.next {
		more = more || next < ends[i]
	}
	return more, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// walk checks and walks whole batches.
func (r *rawReader) walk(b []byte, seen *measure.Tally) error {
	for len(b) > 0 {
		size := batchPrefix + int(binary.BigEndian.Uint32(b[8:]))
		if got, want := crc32.Checksum(b[21:size], castagnoli), binary.BigEndian.Uint32(b[17:]); got != want {
			return errors.New("checksum mismatch")
		}
		body, err := r.inflate(b[22]&7, b[batchHeader:size])
		if err != nil {
			return err
		}
		if err := walkRecords(body, int(binary.BigEndian.Uint32(b[57:])), seen); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

func (r *rawReader) inflate(codec byte, body []byte) (_ []byte, err error) {
	switch codec {
	case 0:
		return body, nil
	case 3:
		out := bytes.NewBuffer(r.inflated[:0])
		r.lz4.Reset(bytes.NewReader(body))
		_, err = r.lz4.WriteTo(out)
		r.inflated = out.Bytes()
	case 4:
		r.inflated, err = r.zstd.DecodeAll(body, r.inflated[:0])
	default:
		err = fmt.Errorf("codec %d", codec)
	}
	return r.inflated, err
}

var errMalformed = errors.New("malformed record")

// walkRecords decodes n records: all fields but headers, of which there are none.
func walkRecords(b []byte, n int, seen *measure.Tally) error {
	for range n {
		size, i := binary.Varint(b)
		if i <= 0 || size < 1 || size > int64(len(b)-i) {
			return errMalformed
		}
		rec := b[i+1 : i+int(size)] // without the attributes
		b = b[i+int(size):]
		_, i = binary.Varint(rec) // timestamp
		if i <= 0 {
			return errMalformed
		}
		_, k := binary.Varint(rec[i:]) // offset
		if k <= 0 {
			return errMalformed
		}
		key, m := binary.Varint(rec[i+k:])
		at := i + k + m + int(max(key, 0))
		if m <= 0 || at > len(rec) {
			return errMalformed
		}
		value, m := binary.Varint(rec[at:])
		if at += m; m <= 0 || value > int64(len(rec)-at) {
			return errMalformed
		}
		seen.Add(rec[at : at+int(max(value, 0))])
	}
	return nil
}
