package zkstate

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/kspout/kspout/offsets"
)

// A Layout says where the offsets of a consumer lie.
type Layout int

const (
	// ByTopic is <root>/<id>/<topic>/partition_<n>.
	ByTopic Layout = iota

	// Flat is storm-kafka's <root>/<id>/partition_<n>. It holds one topic.
	Flat
)

// places turns partitions into paths. Safe for concurrent use.
type places struct {
	base   string // <root>/<id>
	layout Layout

	mu    sync.Mutex // guards topic
	topic string     // the one of a flat layout, once it's known
}

// dir returns the parent of p's node.
func (l *places) dir(p offsets.Partition) (string, error) {
	if err := validElement(p.Topic); err != nil {
		return "", fmt.Errorf("the topic's name: %w", err)
	}
	if p.Number < 0 {
		return "", fmt.Errorf("a partition's number can't be negative")
	}
	if l.layout == ByTopic {
		return l.base + "/" + p.Topic, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.topic == "" {
		l.topic = p.Topic
	}
	if l.topic != p.Topic {
		return "", fmt.Errorf("the flat layout of %s holds one topic, and is in use for %s", l.base, l.topic)
	}
	return l.base, nil
}

// path returns p's node and its parent.
func (l *places) path(p offsets.Partition) (path, dir string, err error) {
	dir, err = l.dir(p)
	if err != nil {
		return "", "", fmt.Errorf("zkstate: offset of %s: %w", p, err)
	}
	return dir + "/partition_" + strconv.Itoa(int(p.Number)), dir, nil
}
