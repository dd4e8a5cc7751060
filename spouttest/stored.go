package spouttest

import (
	"context"
	"fmt"
	"strings"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/offsets"
)

// DefaultRoot is the ZooKeeper path below which a spout stores offsets, if it
// isn't told another.
const DefaultRoot = "/spout"

// Path returns where a spout with this id stores the offset of a partition, under
// [DefaultRoot].
func Path(id, topic string, partition int32) string {
	return fmt.Sprintf("%s/%s/%s/partition_%d", DefaultRoot, id, topic, partition)
}

// Stored returns what is stored for a partition by the spout with this id, under
// [DefaultRoot]; false if nothing is. The error is an [offsets.UnreadableError]
// if it is no checkpoint.
func (c *Cluster) Stored(ctx context.Context, id, topic string, partition int32) (offsets.Checkpoint, bool, error) {
	path := Path(id, topic, partition)
	data, ok, err := c.Node(ctx, path)
	if err != nil || !ok {
		return offsets.Checkpoint{}, false, err
	}
	cp, err := offsets.DecodeCheckpoint(data, offsets.Partition{Topic: topic, Number: partition})
	if err != nil {
		return offsets.Checkpoint{}, false, &offsets.UnreadableError{Path: path, Err: err}
	}
	return cp, true, nil
}

// Node returns what a node of ZooKeeper holds; false if there is no such node.
func (c *Cluster) Node(ctx context.Context, path string) ([]byte, bool, error) {
	z, err := c.call(ctx)
	if err != nil {
		return nil, false, err
	}
	defer z.end()
	code, d, err := z.do(zkserver.OpGetData, func(e *jute.Encoder) {
		e.String(path)
		e.Bool(false)
	})
	switch {
	case err != nil || code == codeNoNode:
		return nil, false, err
	case code != codeOK:
		return nil, false, fmt.Errorf("spouttest: read %s: ZooKeeper's error %d", path, code)
	}
	data := d.Buffer()
	return data, true, d.Err()
}

// SetNode writes a node of ZooKeeper, and makes it and what lies above it where
// that is missing: what an operator does by hand.
func (c *Cluster) SetNode(ctx context.Context, path string, data []byte) error {
	z, err := c.call(ctx)
	if err != nil {
		return err
	}
	defer z.end()
	for i, r := range path {
		if r == '/' && i > 0 {
			if err := z.create(path[:i], nil); err != nil {
				return err
			}
		}
	}
	if strings.HasSuffix(path, "/") {
		return fmt.Errorf("spouttest: %q isn't a path", path)
	}
	if err := z.create(path, data); err != nil {
		return err
	}
	code, _, err := z.do(zkserver.OpSetData, func(e *jute.Encoder) {
		e.String(path)
		e.Buffer(data)
		e.Int32(-1)
	})
	if err == nil && code != codeOK {
		err = fmt.Errorf("spouttest: write %s: ZooKeeper's error %d", path, code)
	}
	return err
}

// create makes a node for everybody, unless there is one.
func (z *zkCall) create(path string, data []byte) error {
	code, _, err := z.do(zkserver.OpCreate, func(e *jute.Encoder) {
		e.String(path)
		e.Buffer(data)
		e.Int32(1)  // one ACL
		e.Int32(31) // all that can be done
		e.String("world")
		e.String("anyone")
		e.Int32(0) // persistent
	})
	if err == nil && code != codeOK && code != codeNodeExists {
		err = fmt.Errorf("spouttest: create %s: ZooKeeper's error %d", path, code)
	}
	return err
}
