package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/zkstate"
)

// The consumer that all tests are.
const (
	root = "/spout"
	id   = "integration"
)

// offsetPath is where the offset of a partition is stored.
func offsetPath(topic string, partition int) string {
	return fmt.Sprintf("%s/%s/%s/partition_%d", root, id, topic, partition)
}

// withZooKeeper calls f with a client that lives as long as the call.
func (s servers) withZooKeeper(t *testing.T, f func(ctx context.Context, c *zkstate.Client)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := zkstate.Connect(ctx, zkstate.Config{Servers: s.zk.Addrs()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f(ctx, c)
}

// nodes returns what nodes hold, nil for one that doesn't exist.
func (s servers) nodes(t *testing.T, paths ...string) [][]byte {
	t.Helper()
	requests := []zkstate.Request{zkstate.Sync{Path: "/"}}
	for _, p := range paths {
		requests = append(requests, zkstate.Get{Path: p})
	}
	data := make([][]byte, len(paths))
	s.withZooKeeper(t, func(ctx context.Context, c *zkstate.Client) {
		for i, res := range c.Retry(ctx, requests...) {
			switch err := res.Err(); {
			case errors.Is(err, zkstate.ErrNoNode):
			case err != nil:
				t.Fatal(err)
			case i > 0:
				data[i-1] = res.(*zkstate.GetResponse).Data
			}
		}
	})
	return data
}

// stored returns what is stored of a topic's partitions from 0 to n-1: the zero
// Checkpoint where nothing is.
func (s servers) stored(t *testing.T, topic string, n int) []offsets.Checkpoint {
	t.Helper()
	cs := make([]offsets.Checkpoint, n)
	for p, data := range s.raw(t, topic, n) {
		if data == nil {
			continue
		}
		var err error
		if cs[p], err = offsets.DecodeCheckpoint(data, offsets.Partition{Topic: topic, Number: int32(p)}); err != nil {
			t.Fatalf("%s: %v: %s", offsetPath(topic, p), err, data)
		}
	}
	return cs
}

func (s servers) raw(t *testing.T, topic string, n int) [][]byte {
	t.Helper()
	paths := make([]string, n)
	for p := range paths {
		paths[p] = offsetPath(topic, p)
	}
	return s.nodes(t, paths...)
}

// settle is how long what is stored has to stay the same after a kill: a write
// that the killed process had sent may still be under way.
const settle = 200 * time.Millisecond

// storedAfterKill is stored, once it doesn't change any more.
func (s servers) storedAfterKill(t *testing.T, topic string, n int) []offsets.Checkpoint {
	t.Helper()
	last, since := s.raw(t, topic, n), time.Now()
	eventually(t, "what is stored to stay the same", func() bool {
		if time.Since(since) >= settle {
			return true
		}
		raw := s.raw(t, topic, n)
		for p := range raw {
			if !bytes.Equal(raw[p], last[p]) {
				last, since = raw, time.Now()
				break
			}
		}
		return false
	})
	return s.stored(t, topic, n)
}

// awaitComplete waits until all records of a topic are stored as done.
func (s servers) awaitComplete(t *testing.T, topic string, ends []int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s to be stored up to %v", topic, ends), func() bool {
		return checkComplete(s.stored(t, topic, len(ends)), ends) == nil
	})
}
