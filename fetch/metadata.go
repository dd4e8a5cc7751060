package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/offsets"
)

// A layout is one answer to a metadata request.
type layout struct {
	brokers map[int32]offsets.Broker
	topics  map[string]Topic
}

// partition returns what the layout tells of p.
func (l *layout) partition(p offsets.Partition) (Topic, PartitionInfo, error) {
	t, ok := l.topics[p.Topic]
	if !ok {
		return t, PartitionInfo{}, ErrUnknownPartition
	}
	if t.Err != nil {
		return t, PartitionInfo{}, t.Err
	}
	info, ok := t.Partition(p.Number)
	if !ok {
		return t, info, ErrUnknownPartition
	}
	return t, info, nil
}

// metadataCall asks for these topics, or for all of them if names is nil. It
// never creates one. Topic ids are in version 10 and up.
func metadataCall(names []string) *call[*layout] {
	return &call[*layout]{
		key:      keyMetadata,
		speak:    versionRange{9, 12},
		flexible: 9,
		encode: func(w *writer, version int16) {
			if names == nil {
				w.array(-1)
			} else {
				w.array(len(names))
			}
			for _, name := range names {
				if version >= 10 {
					w.id(offsets.TopicID{})
				}
				w.string(name)
				w.tags()
			}
			w.bool(false) // allow auto topic creation
			if version <= 10 {
				w.bool(false) // cluster authorized operations
			}
			w.bool(false) // topic authorized operations
			w.tags()
		},
		decode: decodeLayout,
	}
}

func decodeLayout(r *reader, version int16) (*layout, error) {
	l := &layout{brokers: make(map[int32]offsets.Broker), topics: make(map[string]Topic)}
	r.int32() // throttle time
	for range r.array() {
		id := r.int32()
		b := offsets.Broker{Host: r.string(), Port: r.int32()}
		r.string() // rack
		r.tags()
		if b.Host != "" && b.Port > 0 {
			l.brokers[id] = b
		}
	}
	r.string() // cluster id
	r.int32()  // controller
	for range r.array() {
		t := l.decodeTopic(r, version)
		l.topics[t.Name] = t
		if r.bad {
			break
		}
	}
	if version <= 10 {
		r.int32() // cluster authorized operations
	}
	r.tags()
	if len(l.brokers) == 0 && !r.bad {
		return nil, errors.New("no broker in the metadata")
	}
	return l, nil
}

func (l *layout) decodeTopic(r *reader, version int16) Topic {
	t := Topic{Err: brokerError(r.int16()), Name: r.string()}
	if version >= 10 {
		t.ID = r.id()
	}
	t.Internal = r.bool()
	for range r.array() {
		r.int16() // an error comes with a leader of -1, or with a right one
		p := PartitionInfo{Number: r.int32(), LeaderID: r.int32(), LeaderEpoch: r.int32()}
		r.skipInt32s() // replicas
		r.skipInt32s() // those in sync
		r.skipInt32s() // those offline
		r.tags()
		var ok bool
		if p.Leader, ok = l.brokers[p.LeaderID]; !ok {
			p.LeaderID = -1
		}
		t.Partitions = append(t.Partitions, p)
		if r.bad {
			break
		}
	}
	r.int32() // topic authorized operations
	r.tags()
	slices.SortFunc(t.Partitions, func(a, b PartitionInfo) int { return cmp.Compare(a.Number, b.Number) })
	return t
}

// hostPort returns b as an address to dial.
func hostPort(b offsets.Broker) string {
	return net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
}

// metadata asks the brokers that are known, then the bootstrap ones, until one
// answers.
func (c *Client) metadata(ctx context.Context, names []string) (*layout, error) {
	var errs []error
	for _, addr := range c.candidates() {
		b, err := c.broker(addr)
		if err != nil {
			return nil, err
		}
		l, err := roundTrip(ctx, b, metadataCall(names), 0)
		if err == nil {
			c.learned(addr, l)
			return l, nil
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("metadata: %w", errors.Join(errs...))
}

// Topics asks the cluster for these topics, or for all of them if names is nil.
// A topic that doesn't exist has an Err, and isn't created. It asks again until a
// broker answers, one refuses us, which is an [AuthenticationError], or ctx ends.
func (c *Client) Topics(ctx context.Context, names []string) ([]Topic, error) {
	ctx, done, err := c.join(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	for attempt := 0; ; attempt++ {
		l, err := c.metadata(ctx, names)
		if err != nil {
			if refused, ok := errors.AsType[*AuthenticationError](err); ok {
				return nil, fmt.Errorf("fetch: %w", refused)
			}
			if pause(ctx, backoff(attempt)) != nil {
				return nil, fmt.Errorf("fetch: %w: %w", context.Cause(ctx), err)
			}
			continue
		}
		topics := make([]Topic, 0, len(l.topics))
		for _, name := range names {
			t, ok := l.topics[name]
			if !ok {
				t = Topic{Name: name, Err: ErrUnknownPartition}
			}
			topics = append(topics, t)
		}
		if names == nil {
			for _, t := range l.topics {
				topics = append(topics, t)
			}
			slices.SortFunc(topics, func(a, b Topic) int { return cmp.Compare(a.Name, b.Name) })
		}
		return topics, nil
	}
}

// brokerError returns the error that a broker's code means, nil for 0.
func brokerError(code int16) error {
	switch e := kafka.Error(code); e {
	case 0:
		return nil
	case kafka.UnknownTopicOrPartition:
		return ErrUnknownPartition
	default:
		return fmt.Errorf("broker says: %w", e)
	}
}
