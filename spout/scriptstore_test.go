package spout

import (
	"context"
	"errors"
	"sync"

	"github.com/kspout/kspout/offsets"
)

// A scriptStore keeps one encoded checkpoint a partition, and fails when told to.
type scriptStore struct {
	mu    sync.Mutex
	nodes map[offsets.Partition]scriptNode
	fails int // of the next writes
	saves int // writes that were tried
	max   int
	delay func() // called in Save, outside the lock
}

type scriptNode struct {
	data    []byte
	version int32
}

var errStore = errors.New("scripted store error")

func newScriptStore() *scriptStore {
	return &scriptStore{nodes: map[offsets.Partition]scriptNode{}, max: 64 << 10}
}

func (s *scriptStore) MaxBytes() int { return s.max }

func (s *scriptStore) Load(_ context.Context, ps []offsets.Partition) ([]offsets.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]offsets.Stored, len(ps))
	for i, p := range ps {
		out[i] = offsets.Stored{Partition: p, Path: "/" + p.String(), Version: offsets.NoVersion}
		n, ok := s.nodes[p]
		if !ok {
			continue
		}
		out[i].Version = n.version
		c, err := offsets.DecodeCheckpoint(n.data, p)
		if err != nil {
			out[i].Err = &offsets.UnreadableError{Path: out[i].Path, Err: err}
		}
		out[i].Checkpoint = c
	}
	return out, nil
}

func (s *scriptStore) Save(_ context.Context, ws []offsets.Write) []error {
	if s.delay != nil {
		s.delay()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(ws))
	for i, w := range ws {
		errs[i] = s.save(w)
	}
	return errs
}

func (s *scriptStore) save(w offsets.Write) error {
	s.saves++
	if s.fails > 0 {
		s.fails--
		return errStore
	}
	p := w.Checkpoint.Partition
	n, ok := s.nodes[p]
	if !ok {
		n.version = offsets.NoVersion
	}
	if n.version != w.Version {
		return &offsets.FencedError{Partition: p, Path: "/" + p.String(), Writer: "another"}
	}
	data, err := w.Checkpoint.Encode()
	if err != nil {
		return err
	}
	if len(data) > s.max {
		return errors.New("too large")
	}
	s.nodes[p] = scriptNode{data, n.version + 1}
	return nil
}
