package zkstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kspout/kspout/offsets"
)

// Bounds of one multi.
const (
	maxMultiOps   = 200
	maxMultiBytes = 512 << 10
)

// Save stores ws and returns what came of each, in their order: nil where it's
// stored. All go out together, in multis. A write whose version isn't the stored
// one any more gets an [offsets.FencedError] that names the other writer; it
// keeps no other from being stored.
//
// While ZooKeeper is away Save waits, until ctx ends; a write whose reply was
// lost is looked up, and repeated if it wasn't applied. If ctx ends first, the
// error says whether the write may have been applied, and wraps ctx.Err().
//
// Writes of one partition must not be in two calls at a time, or twice in one:
// the second one would be fenced by the first.
func (s *Store) Save(ctx context.Context, ws []offsets.Write) []error {
	errs := make([]error, len(ws))
	sv := &saving{store: s, errs: errs}
	for i, w := range ws {
		it, err := s.item(w)
		if err != nil {
			errs[i] = err
			continue
		}
		it.index = i
		sv.left = append(sv.left, it)
	}
	sv.run(ctx)
	return errs
}

// An item is one write of a Save that has no result yet.
type item struct {
	index     int
	partition offsets.Partition
	path, dir string
	version   int32 // that the write replaces
	data      []byte
	op        write

	// tries counts the writes that were refused: after none the item goes out
	// in a multi with all others, after one in a multi with those that are
	// still valid, then alone.
	tries int

	// doubt: a write of this item may have been applied, as its reply was lost.
	doubt bool

	// look: the stored version has to be read before the next write.
	look bool

	madeDir bool // the parent was created once already
	settled bool // has its result
}

// maxTries bounds the refused writes of one item that each time looks valid when
// it's read. Versions only grow, so a node that is deleted and created all the
// time is the only way there.
const maxTries = 8

func (s *Store) item(w offsets.Write) (*item, error) {
	p := w.Checkpoint.Partition
	path, dir, err := s.places.path(p)
	if err != nil {
		return nil, err
	}
	data, err := w.Checkpoint.Encode()
	if err != nil {
		return nil, fmt.Errorf("zkstate: save the offset of %s: %w", p, err)
	}
	if len(data) > maxValue {
		return nil, fmt.Errorf("zkstate: save the offset of %s: %w", p, &sizeError{len(data), maxValue})
	}
	if w.Version < offsets.NoVersion {
		return nil, fmt.Errorf("zkstate: save the offset of %s: version %d isn't one", p, w.Version)
	}
	it := &item{partition: p, path: path, dir: dir, version: w.Version, data: data}
	if w.Version == offsets.NoVersion {
		it.op = Create{Path: path, Data: data}
	} else {
		it.op = Set{Path: path, Data: data, Version: w.Version}
	}
	return it, nil
}

// A write is what stores an item, alone or as part of a multi.
type write interface {
	Request
	Op
}

// A saving is one Save at work. Not safe for concurrent use.
type saving struct {
	store  *Store
	left   []*item // without a result, in the order of the writes
	errs   []error // of the Save
	losses int     // rounds that lost something by the end of a connection
}

// run settles every item, in rounds: look at those whose version isn't certain,
// then write the rest.
func (sv *saving) run(ctx context.Context) {
	for len(sv.left) > 0 {
		err := sv.store.ready(ctx, sv.losses)
		if err == nil {
			err = sv.look(ctx)
		}
		if err == nil {
			err = sv.write(ctx)
		}
		if err != nil {
			for _, it := range sv.left {
				sv.errs[it.index] = it.unsettled(err)
			}
			return
		}
	}
}

// unsettled is the error of an item that Save has to give up.
func (it *item) unsettled(err error) error {
	what := "not stored"
	if it.doubt {
		what = "outcome unknown"
	}
	return fmt.Errorf("zkstate: save the offset of %s: %s: %s: %w", it.partition, it.path, what, err)
}

// settle gives an item its result; sweep takes it off the list.
func (sv *saving) settle(it *item, err error) {
	sv.errs[it.index], it.settled = err, true
}

func (sv *saving) sweep() {
	sv.left = slices.DeleteFunc(sv.left, func(it *item) bool { return it.settled })
}

// look reads the nodes of the items that want it, and settles those that were
// written by themselves or by another.
func (sv *saving) look(ctx context.Context) error {
	defer sv.sweep()
	var items []*item
	var paths []string
	for _, it := range sv.left {
		if it.look {
			items, paths = append(items, it), append(paths, it.path)
		}
	}
	gets, err := sv.store.read(ctx, paths)
	if err != nil {
		return err
	}
	for i, it := range items {
		it.look = false
		got := gets[i]
		missing := errors.Is(got.Err(), ErrNoNode)
		switch {
		case got.Err() != nil && !missing:
			sv.settle(it, it.unsettled(got.Err()))
		case missing && it.version == offsets.NoVersion, !missing && got.Stat.Version == it.version:
			it.doubt = false // after the sync of read, not applied is a fact
			if it.tries >= maxTries {
				sv.settle(it, it.unsettled(ErrBadVersion))
			}
		case it.doubt && !missing && got.Stat.Version == it.version+1 && bytes.Equal(got.Data, it.data):
			sv.settle(it, nil)
		default:
			sv.settle(it, it.fenced(got, missing))
		}
	}
	return nil
}

// write sends every item left, once, and settles those that are stored.
func (sv *saving) write(ctx context.Context) error {
	defer sv.sweep()
	groups := sv.store.group(sv.left)
	reqs := make([]Request, len(groups))
	for i, g := range groups {
		reqs[i] = g.request()
	}
	dirs := make(map[string]bool)
	loss := false
	for i, resp := range sv.store.client.Do(ctx, reqs...) {
		g, err := groups[i], resp.Err()
		switch {
		case err == nil:
			for _, it := range g {
				sv.settle(it, nil)
			}
		case unanswered(ctx, err):
			loss = true
			if !neverLeft(err) {
				for _, it := range g {
					it.doubt, it.look = true, true
				}
			}
		default:
			sv.refused(g, err, dirs)
		}
	}
	if loss {
		sv.losses++
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := sv.makeDir(ctx, dir); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// unanswered reports whether err leaves open what became of the request.
func unanswered(ctx context.Context, err error) bool {
	return lost(err) || errors.Is(err, ErrClosed) || ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// makeDir creates the parent of nodes, and gives up their items if that is
// refused.
func (sv *saving) makeDir(ctx context.Context, dir string) error {
	err := sv.store.client.makePath(ctx, dir)
	switch {
	case err == nil:
		for _, it := range sv.left {
			it.madeDir = it.madeDir || it.dir == dir
		}
		return nil
	case lost(err):
		sv.losses++ // the next round comes here again
		return nil
	case unanswered(ctx, err):
		return err
	}
	for _, it := range sv.left {
		if it.dir == dir && it.version == offsets.NoVersion && !it.settled {
			sv.settle(it, it.unsettled(err))
		}
	}
	return nil
}

// refused deals with a group of which ZooKeeper applied nothing, because of err.
func (sv *saving) refused(g itemGroup, err error, dirs map[string]bool) {
	bad := g[0]
	if m, ok := errors.AsType[*MultiError](err); ok {
		bad = g[m.Index]
	} else if len(g) > 1 {
		for _, it := range g { // nobody's in particular: each alone will tell
			it.tries = max(it.tries, 2)
		}
		return
	}
	switch {
	case errors.Is(err, ErrNoNode) && bad.version == offsets.NoVersion && !bad.madeDir:
		// The parent is missing, and maybe those of others.
		for _, it := range g {
			if it.version == offsets.NoVersion {
				dirs[it.dir] = true
			}
		}
		return
	case errors.Is(err, ErrNoNode), errors.Is(err, ErrBadVersion), errors.Is(err, ErrNodeExists):
		for _, it := range g {
			it.tries++
			it.look = true
		}
		return
	}
	// Something else is wrong with one of them: without it the others go on.
	sv.settle(bad, bad.unsettled(err))
	for _, it := range g {
		it.tries++
	}
}
