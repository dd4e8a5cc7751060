package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/internal/realservers"
)

// TestRealTransactions reads transactions that were committed, aborted and
// committed: only the records of the committed ones come, and offsets end at the
// log end, behind the last marker.
func TestRealTransactions(t *testing.T) {
	s := shared(t)
	topic := fresh("transactions")
	const partitions, each = 2, 50
	s.topic(t, topic, partitions, nil)
	c := s.client(t, kgo.TransactionalID(topic))
	for tx, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := c.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		var rs []*kgo.Record
		for i := range each {
			for p := range int32(partitions) {
				rs = append(rs, &kgo.Record{Topic: topic, Partition: p, Value: fmt.Appendf(nil, "%d/%d", tx, i)})
			}
		}
		if err := c.ProduceSync(ctx, rs...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := c.EndTransaction(ctx, end); err != nil {
			t.Fatal(err)
		}
	}
	ends := []int64{3*each + 3, 3*each + 3} // each transaction ends with a marker

	tl := s.startTail(t, topic, unlimited, "-e")
	tl.exits(0)
	got := map[int32][]string{}
	for _, d := range tl.deliveries() {
		got[d.Partition] = append(got[d.Partition], string(d.Value))
	}
	var want []string
	for _, tx := range []int{0, 2} {
		for i := range each {
			want = append(want, fmt.Sprintf("%d/%d", tx, i))
		}
	}
	for p := range int32(partitions) {
		if !slices.Equal(got[p], want) {
			t.Errorf("partition %d: %v, want %v", p, got[p], want)
		}
	}
	if err := checkComplete(s.stored(t, topic, partitions), ends); err != nil {
		t.Error(err)
	}

	all := s.startTail(t, topic, unlimited, "-e", "--isolation", "uncommitted", "--id", "uncommitted")
	all.exits(0)
	if n := len(all.deliveries()); n != 3*each*partitions {
		t.Errorf("uncommitted: %d records, want %d", n, 3*each*partitions)
	}
}

// TestRealCodecs reads what was compressed with each codec, by franz-go and by
// Kafka's own producer.
func TestRealCodecs(t *testing.T) {
	s := shared(t)
	const each = 500
	codecs := map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			topic := fresh("codec-" + name)
			s.topic(t, topic, 1, nil)
			ends := s.fill(t, topic, []int64{0}, each, kgo.ProducerBatchCompression(codec))
			var lines strings.Builder
			for o := ends[0]; o < 2*each; o++ {
				fmt.Fprintln(&lines, valueAt(0, o))
			}
			_, err := s.kafka.RunToolWithInput(t.Context(), lines.String(), realservers.ConsoleProducer,
				"--bootstrap-server", s.kafka.Brokers()[0], "--topic", topic, "--compression-codec", name)
			if err != nil {
				t.Fatal(err)
			}
			before := s.stored(t, topic, 1)
			tl := s.startTail(t, topic, unlimited, "-e")
			tl.exits(0)
			l := life{before: before, deliveries: tl.deliveries(), after: s.stored(t, topic, 1)}
			ends[0] = 2 * each
			if err := l.checkClean(ends); err != nil {
				t.Error(err)
			}
			if err := checkComplete(l.after, ends); err != nil {
				t.Error(err)
			}
		})
	}
}
