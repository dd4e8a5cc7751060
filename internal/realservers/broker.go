package realservers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"
)

// The versions of the requests that this package sends. Kafka 3.9 and 4.3 both
// know them.
const (
	metadataVersion         = 5
	createTopicsVersion     = 4
	deleteTopicsVersion     = 3
	createPartitionsVersion = 1
	deleteRecordsVersion    = 1
)

// ask sends one request to the broker at addr, on a connection of its own and
// without a cache: what a test wants to know is what this broker says by now.
func ask[Response protocol.Message](ctx context.Context, addr string, version int16, req protocol.Message) (Response, error) {
	var none Response
	conn, err := dial(ctx, addr)
	if err != nil {
		return none, err
	}
	defer conn.Close()
	res, err := protocol.RoundTrip(conn, version, 1, "kspout-realservers", req)
	if ctx.Err() != nil {
		err = context.Cause(ctx) // says more than that the connection is closed
	}
	if err != nil {
		return none, fmt.Errorf("%s: %s: %w", addr, req.ApiKey(), err)
	}
	return res.(Response), nil
}

// askMetadata returns what the broker at addr knows of the cluster and, where
// topics are given, of them.
func askMetadata(ctx context.Context, addr string, topics ...string) (*metadata.Response, error) {
	if topics == nil {
		topics = []string{} // nil would ask for all
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return ask[*metadata.Response](ctx, addr, metadataVersion, &metadata.Request{TopicNames: topics})
}

// askBroker asks the broker at addr whether it serves: whether it counts
// itself among the live ones.
func askBroker(ctx context.Context, addr string, id int) error {
	m, err := askMetadata(ctx, addr)
	if err != nil {
		return err
	}
	for _, b := range m.Brokers {
		if int(b.NodeID) == id && net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))) == addr {
			return nil
		}
	}
	return fmt.Errorf("%s: broker %d is not registered", addr, id)
}

var errNoBroker = errors.New("no broker runs")

// anyBroker calls do with the address of each broker that runs, until one call
// returns nil or an error that is a broker's answer.
func (k *Kafka) anyBroker(do func(addr string) error) error {
	err := errNoBroker
	for _, n := range k.nodes {
		if !n.answers() {
			continue
		}
		err = do(n.addr)
		if _, answered := errors.AsType[kafka.Error](err); err == nil || answered {
			return err
		}
	}
	return err
}

// A Partition is the state of one partition as a broker knows it.
type Partition struct {
	ID       int
	Leader   int   // node, or -1 while there is none
	Replicas []int // nodes, the preferred leader first
	ISR      []int // nodes in sync, unordered
}

// Partitions returns the state of a topic's partitions by ascending id, as the
// first broker that answers knows it.
func (k *Kafka) Partitions(ctx context.Context, topic string) ([]Partition, error) {
	var parts []Partition
	err := k.anyBroker(func(addr string) (err error) {
		parts, err = askPartitions(ctx, addr, topic)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("realservers: topic %s: %w", topic, err)
	}
	return parts, nil
}

func askPartitions(ctx context.Context, addr, topic string) ([]Partition, error) {
	m, err := askMetadata(ctx, addr, topic)
	if err != nil {
		return nil, err
	}
	if len(m.Topics) != 1 {
		return nil, fmt.Errorf("%s: metadata of %d topics, want 1", addr, len(m.Topics))
	}
	if code := m.Topics[0].ErrorCode; code != 0 {
		return nil, kafka.Error(code)
	}
	var parts []Partition
	for _, p := range m.Topics[0].Partitions {
		parts = append(parts, Partition{
			ID:       int(p.PartitionIndex),
			Leader:   int(p.LeaderID),
			Replicas: ints(p.ReplicaNodes),
			ISR:      ints(p.IsrNodes),
		})
	}
	slices.SortFunc(parts, func(a, b Partition) int { return a.ID - b.ID })
	return parts, nil
}

func ints(ids []int32) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// AwaitPartitions asks every broker that runs, until all of them give an
// answer on topic that ok accepts, or ctx ends. For a topic that a broker
// doesn't know, ok gets no partitions. A paused broker isn't asked.
func (k *Kafka) AwaitPartitions(ctx context.Context, topic string, ok func([]Partition) bool) error {
	for {
		agreed, last := true, error(nil)
		for _, n := range k.nodes {
			if !n.answers() {
				continue
			}
			parts, err := askPartitions(ctx, n.addr, topic)
			if errors.Is(err, kafka.UnknownTopicOrPartition) {
				err = nil
			}
			if err == nil && !ok(parts) {
				err = fmt.Errorf("%s has %+v", n.name, parts)
			}
			if err != nil {
				agreed, last = false, err
				break
			}
		}
		if agreed {
			return nil
		}
		if err := sleep(ctx, askInterval); err != nil {
			return fmt.Errorf("realservers: topic %s: %w (%w)", topic, err, last)
		}
	}
}

// AwaitInSync waits until every broker that runs says that each partition of
// topic has a leader and all its replicas in sync, or until ctx ends. Before
// that, a broker that is back can't be elected.
func (k *Kafka) AwaitInSync(ctx context.Context, topic string) error {
	return k.AwaitPartitions(ctx, topic, func(parts []Partition) bool {
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(p Partition) bool {
			return p.Leader < 0 || len(p.ISR) != len(p.Replicas)
		})
	})
}
