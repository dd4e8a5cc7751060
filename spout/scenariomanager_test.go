package spout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/kspout/kspout/offsets"
)

func (s *scenario) open(args []datadriven.CmdArg) (string, error) {
	if s.manager != nil {
		return "", usage("open: a manager is open")
	}
	o := managerOptions{
		partition: scenarioPartition, id: "scenario", instance: "A",
		fetchSize: 1000, scheme: SchemeFunc(scriptScheme),
		policy: offsets.Policy{Retry: Backoff{Multiplier: 1, Max: 60 * time.Second}, MaxBehind: -1},
	}
	o.events = Events{
		Truncated: func(Truncation) { s.renew() },
		Recreated: func(Recreation) { s.renew() },
	}
	look := s.log.look()
	start := "earliest"
	for _, a := range args {
		if len(a.Vals) != 1 {
			return "", usage("open: %s: want key=value", a.Key)
		}
		v, err := a.Vals[0], error(nil)
		switch a.Key {
		case "id":
			o.instance = v
		case "start":
			start = v
		case "ignore-stored":
			o.ignoreStored, err = strconv.ParseBool(v)
		case "max-offset-behind":
			o.policy.MaxBehind, err = parseOffset(v)
		case "on-out-of-range":
			o.onOutOfRange, err = map[string]OutOfRangePolicy{"earliest": ResetEarliest, "latest": ResetLatest, "error": StopOutOfRange}[v], nil
		case "fetch-size":
			o.fetchSize, err = strconv.Atoi(v)
		case "max-pending":
			o.maxPending, err = strconv.Atoi(v)
		case "retry-delay":
			o.policy.Retry.Initial, err = time.ParseDuration(v)
		case "retry-multiplier":
			o.policy.Retry.Multiplier, err = strconv.ParseFloat(v, 64)
		case "retry-max":
			o.policy.Retry.Max, err = time.ParseDuration(v)
		case "retry-limit":
			var n int
			if n, err = strconv.Atoi(v); n >= 0 {
				o.policy.MaxAttempts = n + 1
			}
		case "timeout":
			o.timeout, err = time.ParseDuration(v)
		case "on-undecodable":
			o.onUndecodable = map[string]UndecodablePolicy{"skip": SkipUndecodable, "fail": FailUndecodable}[v]
		default:
			return "", usage("open: unknown key %q", a.Key)
		}
		if err != nil {
			return "", usage("open: %s: %v", a.Key, err)
		}
	}
	switch start {
	case "earliest":
		o.startOffset = look.Start
	case "latest":
		o.startOffset = look.Latest
	default:
		n, err := parseOffset(start)
		if err != nil {
			return "", err
		}
		o.startOffset = n
	}
	src := &scriptSource{scriptLog: s.log, id: s.log.id, partition: scenarioPartition, fetchSize: o.fetchSize}
	stored, _ := s.store.Load(s.t.Context(), []offsets.Partition{scenarioPartition})
	m, err := openManager(s.t.Context(), o, src, s.store, look, stored[0], func() {})
	if err != nil {
		return "", err
	}
	s.renew()
	s.manager, s.tuples = m, map[int64][]delivery{}
	return fmt.Sprintf("position=%d committed=%d", m.tracker.Position(), m.tracker.Committed()), nil
}

func (s *scenario) next(args []datadriven.CmdArg) (string, error) {
	want := -1
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0].Key)
		if err != nil || n < 1 {
			return "", usage("next: %q: want a number", args[0].Key)
		}
		want = n
	}
	var out []*Tuple
	var failure error
	for want < 0 || len(out) < want {
		ts, err := s.manager.next(s.t.Context())
		if err != nil {
			failure = err
			break
		}
		if len(ts) == 0 {
			break
		}
		var d delivery
		for i := range ts {
			d = append(d, &ts[i])
		}
		out = append(out, d...)
		o, attempt := ts[0].Offset(), ts[0].Attempt()
		if attempt == 1 {
			s.tuples[o] = nil // also of an offset that was another record's
		}
		s.tuples[o] = append(s.tuples[o], d)
	}
	if len(out) == 0 {
		if failure != nil {
			return "", failure
		}
		return "none", nil
	}
	end := " end"
	for range s.manager.waiting() {
		end = " more"
		break
	}
	return "emit" + emitText(out) + end, failure
}

// emitText prints tuples in their order, runs of first deliveries as ranges.
func emitText(ts []*Tuple) string {
	var b strings.Builder
	for i := 0; i < len(ts); {
		j := i
		for j < len(ts) && ts[j].Attempt() == 1 && ts[j].record() == ts[j] && (j == i || ts[j].Offset() == ts[j-1].Offset()+1) {
			j++
		}
		if j-i >= 3 {
			fmt.Fprintf(&b, " [%d,%d)", ts[i].Offset(), ts[j-1].Offset()+1)
			i = j
			continue
		}
		fmt.Fprintf(&b, " %d", ts[i].Offset())
		if r := ts[i].record(); r != ts[i] {
			for k := range r.ext.fan.tuples {
				if &r.ext.fan.tuples[k] == ts[i] {
					fmt.Fprintf(&b, "/%d", k)
				}
			}
		}
		if a := ts[i].Attempt(); a > 1 {
			fmt.Fprintf(&b, "@%d", a)
		}
		i++
	}
	return b.String()
}

// ackNamed and failNamed apply to one tuple and report whether it was taken.
func (m *partitionManager) ackNamed(t *Tuple) (bool, error) { return m.ack(t), nil }

func (m *partitionManager) failNamed(t *Tuple) (bool, error) {
	ok, tooMany := m.fail(t, errors.New("scripted fail"))
	if tooMany {
		return ok, errTooMany
	}
	return ok, nil
}

// settle applies f to the tuples that args name, and prints those that weren't
// taken.
func (s *scenario) settle(args []datadriven.CmdArg, f func(*partitionManager, *Tuple) (bool, error)) (string, error) {
	var ignored []string
	var failure error
	for _, a := range args {
		names, err := expandName(a.Key)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			ts, err := s.named(name)
			if err != nil {
				return "", err
			}
			taken := false
			for _, t := range ts {
				ok, err := f(t.blk.m, t) // its own manager, as Ack and Fail do
				taken = taken || ok
				if err != nil {
					failure = err
				}
			}
			if !taken {
				ignored = append(ignored, name)
			}
		}
	}
	if len(ignored) > 0 {
		return "ignored " + strings.Join(ignored, " "), failure
	}
	return "ok", failure
}

// expandName makes single names of a range.
func expandName(name string) ([]string, error) {
	prefix, span, ok := strings.Cut(name, "[")
	if !ok {
		return []string{name}, nil
	}
	lo, hi, ok := strings.Cut(strings.TrimSuffix(span, ")"), ",")
	from, err1 := parseOffset(lo)
	to, err2 := parseOffset(hi)
	if !ok || err1 != nil || err2 != nil {
		return nil, usage("%q isn't a range", name)
	}
	var names []string
	for o := from; o < to; o++ {
		names = append(names, prefix+strconv.FormatInt(o, 10))
	}
	return names, nil
}

// named returns the tuples that a name such as old:6/1@2 stands for.
func (s *scenario) named(name string) ([]*Tuple, error) {
	rest, isOld := strings.CutPrefix(name, "old:")
	rest, attempt, hasAttempt := strings.Cut(rest, "@")
	rest, sub, hasSub := strings.Cut(rest, "/")
	o, err := parseOffset(rest)
	if err != nil {
		return nil, err
	}
	from := s.tuples
	if isOld {
		from = s.old
	}
	ds := from[o]
	if len(ds) == 0 {
		return nil, nil
	}
	d := ds[len(ds)-1]
	if hasAttempt {
		n, err := strconv.Atoi(attempt)
		if err != nil {
			return nil, usage("%q: %v", name, err)
		}
		d = nil
		for _, x := range ds {
			if x[0].Attempt() == n {
				d = x
			}
		}
	}
	if hasSub {
		n, err := strconv.Atoi(sub)
		if err != nil {
			return nil, usage("%q: %v", name, err)
		}
		if n >= len(d) {
			return nil, nil
		}
		return d[n : n+1], nil
	}
	return d, nil
}

// commit does what the committer does for one partition.
func (s *scenario) commit() (string, error) {
	m := s.manager
	w, ok := m.beginCommit()
	if ok {
		err := s.store.Save(s.t.Context(), []offsets.Write{w})[0]
		m.endCommit(w, err)
		if err != nil {
			return "", err
		}
		return commitText("", w.Checkpoint), nil
	}
	return commitText("unchanged ", m.checkpoint()), nil
}

func commitText(prefix string, c offsets.Checkpoint) string {
	return fmt.Sprintf("%scommitted=%d%s", prefix, c.Offset, ackedText(c.Acked))
}

func (s *scenario) closeManager() (string, error) {
	m := s.manager
	s.manager = nil
	c, before := m.checkpoint(), s.store.saves
	if err := m.close(s.t.Context()); err != nil {
		return "", err
	}
	if s.store.saves == before {
		return commitText("unchanged ", c), nil
	}
	return commitText("", c), nil
}

// checkpoint returns what would be committed now.
func (m *partitionManager) checkpoint() offsets.Checkpoint {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	return offsets.Checkpoint{Offset: m.tracker.Committed(), Acked: m.tracker.Acked()}
}
