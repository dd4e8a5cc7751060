package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kgo"
)

type produceFlags struct {
	brokers, topic string
	key, separator string
	headers        []string
	partition      int32
	emptyNull      bool
	codec          string
	security       securityFlags
}

func newProduce() *cobra.Command {
	var f produceFlags
	cmd := &cobra.Command{
		Use:   "produce",
		Short: "Produce a record for each line of standard input",
		Long: `produce makes a record of each line of standard input, and writes where each one
went, in the order of the lines: topic[partition]@offset. The topic has to exist.

Examples:

  seq 1000 | spout-demo produce -t orders
  printf 'alice:1\nbob:2\nalice:\n' | spout-demo produce -t orders -K : -Z
  spout-demo produce -t orders -p 3 -H source=cli -z zstd < lines.txt`,
		Args: noArgs,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	brokersFlag(fs, &f.brokers)
	topicFlag(fs, &f.topic)
	fs.StringVarP(&f.key, "key", "k", "", "the `key` of every record (default: null)")
	fs.StringVarP(&f.separator, "key-separator", "K", "", "a line is a key, this `separator`, and a value; without it, a value")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "a header of every record, as `k=v`; may be repeated")
	fs.Int32VarP(&f.partition, "partition", "p", -1, "produce to this `partition` (default: by key, else spread)")
	fs.BoolVarP(&f.emptyNull, "null", "Z", false, "an empty value is null; with -K, an empty key too")
	fs.StringVarP(&f.codec, "codec", "z", "none", "compress by this `codec`: none, gzip, snappy, lz4 or zstd")
	f.security.register(fs)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		format, opts, err := f.parse(fs)
		if err != nil {
			return err
		}
		secure, err := f.security.parse()
		if err != nil {
			return err
		}
		p := production{
			brokers: addresses(f.brokers), topic: f.topic, partition: f.partition, format: format, opts: opts, secure: secure,
			receipts: newReceipts(cmd.OutOrStdout()),
		}
		err = p.run(cmd.Context(), cmd.InOrStdin())
		if errors.Is(err, syscall.EPIPE) {
			return errQuiet
		}
		return err
	}
	return cmd
}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// parse returns what the flags mean.
func (f *produceFlags) parse(fs *pflag.FlagSet) (lineFormat, []kgo.Opt, error) {
	format := lineFormat{separator: []byte(unescape(f.separator)), emptyNull: f.emptyNull}
	codec, known := codecs[f.codec]
	switch {
	case f.topic == "":
		return format, nil, usagef("-t is missing: name a topic")
	case fs.Changed("key") && fs.Changed("key-separator"):
		return format, nil, usagef("-k and -K both say what the key is: leave one out")
	case fs.Changed("key-separator") && f.separator == "":
		return format, nil, usagef("-K is empty: want what stands between key and value")
	case fs.Changed("partition") && f.partition < 0:
		return format, nil, usagef("-p is %d: want a partition number", f.partition)
	case !known:
		return format, nil, usagef("-z is %q: want none, gzip, snappy, lz4 or zstd", f.codec)
	}
	if fs.Changed("key") {
		format.key = []byte(f.key)
	}
	for _, h := range f.headers {
		key, value, ok := strings.Cut(h, "=")
		if !ok || key == "" {
			return format, nil, usagef("-H is %q: want k=v", h)
		}
		format.headers = append(format.headers, kgo.RecordHeader{Key: key, Value: []byte(value)})
	}
	opts := []kgo.Opt{kgo.ProducerBatchCompression(codec)}
	if f.partition >= 0 {
		opts = append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	}
	return format, opts, nil
}

// A production produces one input.
type production struct {
	brokers   []string
	topic     string
	partition int32 // -1: by key
	format    lineFormat
	opts      []kgo.Opt
	secure    security
	receipts  *receipts

	limit  int         // of the topic, in bytes a batch
	client *kgo.Client // for lines that fit an ordinary batch
	large  *kgo.Client // for others; nil until there is one
}

// run produces until the input ends, ctx ends, or something fails. What was read
// by then is produced still.
func (p *production) run(ctx context.Context, in io.Reader) error {
	if err := p.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer p.close()
	type lineRead struct {
		n    int64
		text []byte
	}
	lines, readErr := make(chan lineRead), make(chan error, 1)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the input, or with the first line after reading
		readErr <- readLines(in, func(n int64, text []byte) error {
			select {
			case lines <- lineRead{n, text}:
				return nil
			case <-reading.Done():
				return reading.Err()
			}
		})
	}()
	for {
		select {
		case l := <-lines:
			if err := p.produce(l.n, l.text); err != nil {
				return errors.Join(p.flush(), err)
			}
		case err := <-readErr:
			return errors.Join(p.flush(), err)
		case <-p.receipts.failed:
			return p.flush()
		case <-ctx.Done():
			return p.flush()
		}
	}
}

// produce sends one line.
func (p *production) produce(n int64, text []byte) error {
	r := p.format.record(text)
	r.Topic, r.Partition = p.topic, p.partition
	client, err := p.clientFor(r)
	if err != nil {
		return err
	}
	p.receipts.expect()
	client.Produce(context.Background(), r, func(r *kgo.Record, err error) {
		p.receipts.settle(n, r, p.explain(r, err))
	})
	return nil
}

// flush waits for what was sent, which has a time limit of its own, and returns
// what failed.
func (p *production) flush() error {
	p.client.Flush(context.Background())
	if p.large != nil {
		p.large.Flush(context.Background())
	}
	return p.receipts.failure()
}

func (p *production) close() {
	p.client.Close()
	if p.large != nil {
		p.large.Close()
	}
}

// size is about what a record takes in a batch.
func size(r *kgo.Record) int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// explain makes an error of the broker's one that a user can act upon.
func (p *production) explain(r *kgo.Record, err error) error {
	if isTooLarge(err) {
		return fmt.Errorf("a record of %d bytes is too large for %s, which takes batches of %d (max.message.bytes)", size(r), p.topic, p.limit)
	}
	return err
}
