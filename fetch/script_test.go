package fetch

import (
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/internal/batchtest"
)

// A script answers all fetches of a cluster from crafted logs, one batch of each
// partition at a time.
type script struct {
	cluster *kfake.Cluster

	mu       sync.Mutex
	logs     map[int32][]batchtest.Batch
	raw      map[int32][]byte // instead of logs: these bytes, whatever is asked for
	code     map[int32]int16
	failure  int16 // of the whole answer
	aborted  []abortedTxn
	throttle int32
	asked    map[int32][]int64 // offsets asked for, in order
	sizes    map[int32][]int32 // and the bytes
	at       []time.Time       // of every request
	versions map[int16]bool

	// meddle changes the answer for a partition.
	meddle func(*kmsg.FetchRequestTopicPartition, *kmsg.FetchResponseTopicPartition)
}

// scripted starts a cluster of one broker whose fetches are scripted.
func scripted(t testing.TB, partitions int32, opts ...kfake.Opt) *script {
	t.Helper()
	s := &script{
		cluster:  newCluster(t, append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(partitions, "orders")}, opts...)...),
		logs:     make(map[int32][]batchtest.Batch),
		raw:      make(map[int32][]byte),
		code:     make(map[int32]int16),
		asked:    make(map[int32][]int64),
		sizes:    make(map[int32][]int32),
		versions: make(map[int16]bool),
	}
	s.cluster.ControlKey(keyFetch, func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		q := req.(*kmsg.FetchRequest)
		resp, some := s.answer(q)
		if !some {
			// As a broker does that has nothing. It answers nobody else meanwhile.
			time.Sleep(time.Duration(q.MaxWaitMillis) * time.Millisecond)
		}
		return resp, nil, true
	})
	return s
}

func (s *script) answer(q *kmsg.FetchRequest) (resp *kmsg.FetchResponse, some bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Now())
	s.versions[q.Version] = true
	resp = q.ResponseKind().(*kmsg.FetchResponse)
	resp.ThrottleMillis = s.throttle
	if resp.ErrorCode = s.failure; s.failure != 0 {
		return resp, true
	}
	for _, qt := range q.Topics {
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic, rt.TopicID = qt.Topic, qt.TopicID
		for _, qp := range qt.Partitions {
			n := qp.Partition
			s.asked[n] = append(s.asked[n], qp.FetchOffset)
			s.sizes[n] = append(s.sizes[n], qp.PartitionMaxBytes)
			rp := kmsg.NewFetchResponseTopicPartition()
			rp.Partition, rp.ErrorCode = n, s.code[n]
			if rp.ErrorCode == 0 {
				rp.RecordBatches = s.batch(n, qp.FetchOffset)
			}
			for _, a := range s.aborted {
				ra := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
				ra.ProducerID, ra.FirstOffset = a.producer, a.first
				rp.AbortedTransactions = append(rp.AbortedTransactions, ra)
			}
			if s.meddle != nil {
				s.meddle(&qp, &rp)
			}
			some = some || rp.ErrorCode != 0 || len(rp.RecordBatches) > 0
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp, some
}

// batch returns the first batch of the partition that reaches to offset.
func (s *script) batch(n int32, offset int64) []byte {
	if raw, ok := s.raw[n]; ok {
		return raw
	}
	for _, b := range s.logs[n] {
		if raw := b.Bytes(); parseHeader(raw).end() > offset || parseHeader(raw).lastDelta < 0 {
			return raw
		}
	}
	return nil
}

// set changes the script.
func (s *script) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// requests returns the offsets that were asked for of a partition.
func (s *script) requests(n int32) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int64(nil), s.asked[n]...)
}

func (s *script) config() Config { return Config{Brokers: s.cluster.ListenAddrs()} }
