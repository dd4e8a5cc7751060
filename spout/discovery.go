package spout

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// A discovery finds the partitions that are to be read, round after round, and
// opens those that aren't open.
type discovery struct {
	*running
	pattern *regexp.Regexp // matches whole names; nil without one
	first   bool           // this is the first round
	blind   bool           // the last round got no answer
	missing map[string]bool
	short   map[string]bool // topics with fewer partitions than were asked for

	// there holds the partitions that the first round found and that weren't open
	// since: Start and StopAtEnd are about them, however late they open. Read by
	// the goroutines that open, written between them.
	there map[offsets.Partition]bool
}

// wholeName returns the pattern that matches what p matches from end to end.
func wholeName(p *regexp.Regexp) (*regexp.Regexp, error) {
	return regexp.Compile(`^(?:` + p.String() + `)$`)
}

// retryAge bounds the time between two rounds while something is missing.
const retryAge = time.Second

// discover runs until emitting ends. Its error ends Run.
func (r *running) discover() error {
	d := &discovery{running: r, first: true, missing: map[string]bool{}, short: map[string]bool{}, there: map[offsets.Partition]bool{}}
	if r.cfg.Pattern != nil {
		d.pattern, _ = wholeName(r.cfg.Pattern) // Validate has seen to the error
	}
	for {
		age := r.cfg.MetadataMaxAge
		complete, err := d.round()
		switch {
		case r.emitting.Err() != nil:
			return nil
		case err != nil:
			return err
		case complete:
			r.complete.Store(true)
			r.roster.signal()
		default:
			age = min(age, retryAge)
		}
		d.first = false
		select {
		case <-time.After(age):
		case <-r.emitting.Done():
			return nil
		}
	}
}

// round looks at the topics once. It is complete if everything that is wanted is
// open, or has stopped for good.
func (d *discovery) round() (complete bool, err error) {
	topics, err := d.topics()
	if err != nil {
		if d.first {
			return false, startError(d.emitting, "Kafka", err)
		}
		if !d.blind && d.emitting.Err() == nil {
			d.blind = true
			d.cfg.Logger.Warn().Err(err).Msg("the topics can't be looked up; trying again")
		}
		return false, nil
	}
	if d.blind {
		d.blind = false
		d.cfg.Logger.Info().Msg("the topics can be looked up again")
	}
	complete = true
	ids := map[offsets.Partition]offsets.TopicID{}
	for _, t := range topics {
		if t.Err != nil {
			complete = false
			if err := d.miss(t); err != nil {
				return false, err
			}
			continue
		}
		if d.missing[t.Name] {
			delete(d.missing, t.Name)
			d.cfg.Logger.Info().Str("topic", t.Name).Msg("the topic is there")
		}
		if err := d.checkAssigned(t); err != nil && d.first {
			return false, err
		} else if err != nil && !d.short[t.Name] {
			d.short[t.Name] = true
			d.cfg.Logger.Warn().Err(err).Msg("a topic that appeared has too few partitions")
		}
		for _, p := range t.Partitions {
			id := offsets.Partition{Topic: t.Name, Number: p.Number}
			if d.cfg.Assign.owns(id) && !d.roster.knows(id) {
				ids[id] = t.ID
				if d.first {
					d.there[id] = true
				}
			}
		}
	}
	opened, err := d.openAll(ids)
	return complete && opened, err
}

// topics asks the cluster for the topics that are wanted.
func (d *discovery) topics() ([]fetch.Topic, error) {
	ctx, cancel := context.WithTimeoutCause(d.emitting, startTimeout, fmt.Errorf("no answer within %v", startTimeout))
	defer cancel()
	var wanted []fetch.Topic
	if len(d.cfg.Topics) > 0 {
		named, err := d.client.Topics(ctx, d.cfg.Topics)
		if err != nil {
			return nil, err
		}
		wanted = named
	}
	if d.pattern == nil {
		return wanted, nil
	}
	all, err := d.client.Topics(ctx, nil)
	for _, t := range all {
		if !t.Internal && t.Err == nil && d.pattern.MatchString(t.Name) && !slices.Contains(d.cfg.Topics, t.Name) {
			wanted = append(wanted, t)
		}
	}
	return wanted, err
}

// miss takes a topic that can't be read: one that doesn't exist is waited for,
// anything else is an error at the start.
func (d *discovery) miss(t fetch.Topic) error {
	unknown := errors.Is(t.Err, fetch.ErrUnknownPartition)
	if d.cfg.StopAtEnd && d.first || d.first && !unknown {
		return fmt.Errorf("spout: topic %s: %w", t.Name, t.Err)
	}
	if !d.missing[t.Name] {
		d.missing[t.Name] = true
		if unknown {
			d.cfg.Logger.Warn().Str("topic", t.Name).Msg("the topic doesn't exist; waiting for it")
		} else {
			d.cfg.Logger.Error().Err(t.Err).Str("topic", t.Name).Msg("the topic can't be read; trying again")
		}
	}
	return nil
}

// checkAssigned finds partitions that were asked for by number and don't exist.
func (d *discovery) checkAssigned(t fetch.Topic) error {
	for _, n := range d.cfg.Assign.numbers {
		if !slices.ContainsFunc(t.Partitions, func(p fetch.PartitionInfo) bool { return p.Number == n }) {
			return fmt.Errorf("spout: topic %s has %d partitions, and none with the number %d: %w",
				t.Name, len(t.Partitions), n, fetch.ErrUnknownPartition)
		}
	}
	return nil
}

// openAll opens partitions side by side. It reports whether all of them are open,
// or stopped for good.
func (d *discovery) openAll(ids map[offsets.Partition]offsets.TopicID) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	var list []offsets.Partition
	for id := range ids {
		list = append(list, id)
	}
	slices.SortFunc(list, offsets.Partition.Compare)

	ctx, cancel := context.WithTimeoutCause(d.emitting, startTimeout, fmt.Errorf("no answer within %v", startTimeout))
	defer cancel()
	stored, err := d.store.Load(ctx, list)
	if err != nil {
		if d.first {
			return false, startError(d.emitting, "the offset store", err)
		}
		d.cfg.Logger.Warn().Err(err).Msg("stored offsets can't be read; trying again")
		return false, nil
	}
	if len(stored) != len(list) {
		return false, fmt.Errorf("spout: the store's Load returned %d results for %d partitions", len(stored), len(list))
	}
	looks, errs := d.client.LooksSince(ctx, list, marks(stored))
	complete := true
	var wg sync.WaitGroup
	for i, id := range list {
		if errs[i] != nil {
			d.cfg.Logger.Warn().Err(errs[i]).Stringer("partition", id).Msg("the partition can't be opened yet; trying again")
			complete = false
			continue
		}
		wg.Go(func() { d.open(openRequest{id, ids[id], looks[i], stored[i]}) })
	}
	wg.Wait()
	for _, id := range list {
		if d.roster.knows(id) {
			delete(d.there, id)
		} else {
			complete = false
		}
	}
	return complete, nil
}
