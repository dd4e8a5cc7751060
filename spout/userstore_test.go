package spout_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// A brokenStore returns fewer results than it was asked for.
type brokenStore struct{ loads bool }

func (s brokenStore) MaxBytes() int { return 64 << 10 }

func (s brokenStore) Load(_ context.Context, ps []offsets.Partition) ([]offsets.Stored, error) {
	if !s.loads {
		return nil, nil
	}
	out := make([]offsets.Stored, len(ps))
	for i, p := range ps {
		out[i] = offsets.Stored{Partition: p, Version: offsets.NoVersion}
	}
	return out, nil
}

func (s brokenStore) Save(context.Context, []offsets.Write) []error { return nil }

// TestStoreThatReturnsTooLittle is an error that says so, not a panic.
func TestStoreThatReturnsTooLittle(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 1)
	cfg := config(t, c, "a")
	cfg.ZooKeeper, cfg.Store = nil, brokenStore{}
	if err := run(t, cfg, ackAll); err == nil || !strings.Contains(err.Error(), "Load returned 0 results for 1") {
		t.Errorf("Run: %v, want what Load did", err)
	}

	cfg.Store = brokenStore{loads: true}
	told := make(chan struct{}, 1)
	logger := zerolog.New(writerFunc(func(line []byte) {
		if strings.Contains(string(line), "Save returned 0 results for 1") {
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}))
	cfg.Logger = &logger
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, err := spout.New(cfg, ackAll)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	<-told
	stop()
	<-ended
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
