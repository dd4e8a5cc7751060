package spout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/zkstate"
)

// startTimeout is how long Run waits for Kafka and ZooKeeper to answer for the
// first time. What goes away later is waited for as long as Run lasts.
const startTimeout = 15 * time.Second

// openStore returns the store, and what closes it; neither of them, and no error,
// if ctx ended first.
func (s *Spout) openStore(ctx context.Context) (Store, func(), error) {
	if s.cfg.Store != nil {
		return s.cfg.Store, func() {}, nil
	}
	start, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("no answer within %v", startTimeout))
	defer cancel()
	client, err := zkstate.Connect(start, zkstate.Config{
		Servers: s.cfg.ZooKeeper, SessionTimeout: s.cfg.SessionTimeout,
		Logger: s.cfg.Logger.With().Str("part", "zookeeper").Logger(),
	})
	if err != nil {
		return nil, nil, startError(ctx, "ZooKeeper", err)
	}
	layout := zkstate.ByTopic
	if s.cfg.StormPaths {
		layout = zkstate.Flat
	}
	store, err := zkstate.NewStore(client, zkstate.StoreConfig{Root: s.cfg.Root, ID: s.cfg.ID, Layout: layout})
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	return store, client.Close, nil
}

// startError tells why a start failed; being told to stop before it succeeded is
// no failure.
func startError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if refused, ok := errors.AsType[*fetch.AuthenticationError](err); ok {
		return fmt.Errorf("spout: %w", refused)
	}
	return fmt.Errorf("spout: %s can't be reached: %w", what, err)
}

// errStopped is why a partition stops that was told to.
var errStopped = errors.New("spout: told to stop")
