package zkstate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kspout/kspout/offsets"
)

// maxValue bounds one stored checkpoint, in bytes.
const maxValue = 64 << 10

// A StoreConfig says where a [Store] keeps offsets.
type StoreConfig struct {
	// Root is the path below which all consumers keep theirs, as "/spout".
	// Required.
	Root string

	// ID names the consumer: one element of a path. Required.
	ID string

	// Layout is the form below <root>/<id>. Default: ByTopic.
	Layout Layout
}

// A Store keeps the offsets of one consumer in ZooKeeper, each partition's in a
// persistent node of its own, whose version fences off other writers. Safe for
// concurrent use, also for one partition, where one of two writers is fenced.
type Store struct {
	client *Client
	places places
}

// NewStore returns a Store on client, which stays the caller's. It sends
// nothing.
func NewStore(client *Client, cfg StoreConfig) (*Store, error) {
	var errs []error
	root := cfg.Root
	if root != "/" {
		root = strings.TrimSuffix(root, "/")
	}
	if err := validPath(root); err != nil {
		errs = append(errs, fmt.Errorf("zkstate: StoreConfig.Root is %q: %w", cfg.Root, err))
	}
	if err := validElement(cfg.ID); err != nil {
		errs = append(errs, fmt.Errorf("zkstate: StoreConfig.ID is %q: %w", cfg.ID, err))
	}
	if cfg.Layout != ByTopic && cfg.Layout != Flat {
		errs = append(errs, fmt.Errorf("zkstate: StoreConfig.Layout is %d, which isn't one", cfg.Layout))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if root == "/" {
		root = ""
	}
	return &Store{client: client, places: places{base: root + "/" + cfg.ID, layout: cfg.Layout}}, nil
}

// MaxBytes is the size that a checkpoint must not exceed, encoded: 64 KiB.
func (s *Store) MaxBytes() int { return maxValue }

// Load reads what is stored for ps, in their order, after a sync: nothing that
// was stored before the call is missed. A stored value that isn't a checkpoint
// has an [offsets.UnreadableError]. While ZooKeeper is away it waits, until ctx
// ends. The error, if any, is that of the first partition that can't be read;
// the result is nil then.
func (s *Store) Load(ctx context.Context, ps []offsets.Partition) ([]offsets.Stored, error) {
	out := make([]offsets.Stored, len(ps))
	paths := make([]string, len(ps))
	for i, p := range ps {
		path, _, err := s.places.path(p)
		if err != nil {
			return nil, err
		}
		out[i], paths[i] = offsets.Stored{Partition: p, Path: path, Version: offsets.NoVersion}, path
	}
	gets, err := s.read(ctx, paths)
	if err != nil {
		return nil, fmt.Errorf("zkstate: load offsets: %w", err)
	}
	for i, g := range gets {
		switch err := g.Err(); {
		case errors.Is(err, ErrNoNode):
		case err != nil:
			return nil, fmt.Errorf("zkstate: load the offset of %s: %w", ps[i], err)
		default:
			out[i].Version = g.Stat.Version
			c, err := offsets.DecodeCheckpoint(g.Data, ps[i])
			if err != nil {
				out[i].Err = &offsets.UnreadableError{Path: paths[i], Err: err}
			}
			out[i].Checkpoint = c
		}
	}
	return out, nil
}

// read gets nodes as they are after a sync, in the order of paths. It repeats
// all of it where the connection or the session ends, until ctx ends.
func (s *Store) read(ctx context.Context, paths []string) ([]*GetResponse, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	reqs := make([]Request, 1, len(paths)+1)
	reqs[0] = Sync{Path: s.places.base}
	for _, p := range paths {
		reqs = append(reqs, Get{Path: p})
	}
	for n := 0; ; n++ {
		if err := s.ready(ctx, n); err != nil {
			return nil, err
		}
		resps := s.client.Do(ctx, reqs...)
		if err := resps[0].Err(); err != nil {
			if lost(err) {
				continue
			}
			return nil, err
		}
		gets := make([]*GetResponse, len(paths))
		again := false
		for i, r := range resps[1:] {
			gets[i] = r.(*GetResponse)
			again = again || lost(r.Err())
			if err := r.Err(); err != nil && ctx.Err() != nil {
				return nil, err
			}
		}
		if !again {
			return gets, nil
		}
	}
}

// ready waits for a connection, and from the third attempt on for a pause too:
// n counts them from 0.
func (s *Store) ready(ctx context.Context, n int) error {
	if err := s.client.WaitConnected(ctx); err != nil {
		return fmt.Errorf("waiting for ZooKeeper at %s: %w", strings.Join(s.client.servers.hosts, ","), err)
	}
	if n < 2 {
		return ctx.Err()
	}
	return redial.wait(ctx, n-2)
}
