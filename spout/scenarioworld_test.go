package spout

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/kspout/kspout/offsets"
)

// A scenario is the world of one scenario file: a log, a store, and a manager
// between them.
type scenario struct {
	t       testing.TB
	log     *scriptLog
	store   *scriptStore
	manager *partitionManager // nil while none is open
	topics  byte

	// tuples are the deliveries of each offset by this manager, in their order;
	// old are those of the manager before, or before the last R3 or R4.
	tuples, old map[int64][]delivery
}

// A delivery is the tuples of one record as they were handed out at once.
type delivery []*Tuple

var scenarioPartition = offsets.Partition{Topic: "t", Number: 0}

func newScenario(t testing.TB) *scenario {
	return &scenario{t: t, log: &scriptLog{}, store: newScriptStore(), tuples: map[int64][]delivery{}, old: map[int64][]delivery{}}
}

func (s *scenario) broker(args []datadriven.CmdArg) (err error) {
	l := &scriptLog{id: s.log.id, gone: map[int64]bool{}, kind: map[int64]string{}, fetchFails: s.log.fetchFails}
	if s.topics == 0 {
		s.topics = 1
	}
	for _, a := range args {
		switch a.Key {
		case "start":
			l.start, err = parseOffset(a.Vals[0])
		case "end":
			l.end, err = parseOffset(a.Vals[0])
		case "recreated":
			s.topics++
		case "gone":
			err = eachOffset(a.Vals, func(o int64) { l.gone[o] = true })
		case "null", "silent", "bad":
			err = eachOffset(a.Vals, func(o int64) { l.kind[o] = a.Key })
		case "fan":
			for _, v := range a.Vals {
				o, k, _ := strings.Cut(v, ":")
				n, _ := strconv.Atoi(k)
				if n < 2 {
					return usage("fan: %q: want offset:k with k of at least 2", v)
				}
				if err := eachOffset([]string{o}, func(o int64) { l.kind[o] = "fan:" + k }); err != nil {
					return err
				}
			}
		default:
			return usage("broker: unknown key %q", a.Key)
		}
		if err != nil {
			return err
		}
	}
	l.id = offsets.TopicID{15: s.topics}
	*s.log = *l // sources hold the pointer
	return nil
}

func parseOffset(v string) (int64, error) {
	o, err := strconv.ParseInt(v, 10, 64)
	if err != nil || o < 0 {
		return 0, usage("%q isn't an offset", v)
	}
	return o, nil
}

// eachOffset calls f for each offset of a list such as 3,5-8.
func eachOffset(list []string, f func(int64)) error {
	for _, v := range list {
		lo, hi, span := strings.Cut(v, "-")
		from, err := parseOffset(lo)
		to := from
		if err == nil && span {
			to, err = parseOffset(hi)
		}
		if err != nil {
			return err
		}
		for o := from; o <= to; o++ {
			f(o)
		}
	}
	return nil
}

func (s *scenario) stored() (string, error) {
	all, _ := s.store.Load(s.t.Context(), []offsets.Partition{scenarioPartition})
	switch st := all[0]; {
	case st.Err != nil:
		return "", st.Err
	case st.Version == offsets.NoVersion:
		return "nothing", nil
	default:
		return fmt.Sprintf("offset=%d id=%s%s", st.Checkpoint.Offset, st.Checkpoint.Instance, ackedText(st.Checkpoint.Acked)), nil
	}
}

func ackedText(acked []offsets.Range) string {
	if len(acked) == 0 {
		return ""
	}
	return " acked=" + rangesText(slices.Values(acked))
}

func (s *scenario) storeCommand(args []datadriven.CmdArg) error {
	switch {
	case len(args) == 1 && args[0].Key == "corrupt":
		n := s.store.nodes[scenarioPartition]
		s.store.nodes[scenarioPartition] = scriptNode{[]byte("{garbage"), n.version + 1}
	case len(args) == 1 && args[0].Key == "clear":
		delete(s.store.nodes, scenarioPartition)
	case len(args) == 2 && args[0].Key == "fail":
		n, err := strconv.Atoi(args[1].Key)
		if err != nil {
			return usage("store fail: %v", err)
		}
		s.store.fails = n
	default:
		return usage("store: want corrupt, clear or fail N")
	}
	return nil
}

func (s *scenario) fetchCommand(args []datadriven.CmdArg) error {
	if len(args) != 2 || args[0].Key != "fail" {
		return usage("fetch: want fail N")
	}
	n, err := strconv.Atoi(args[1].Key)
	if err != nil {
		return usage("fetch fail: %v", err)
	}
	s.log.fetchFails = n
	return nil
}

// wait lets the fake clock run.
func (s *scenario) wait(args []datadriven.CmdArg) error {
	if len(args) != 1 {
		return usage("wait: want a duration")
	}
	d, err := time.ParseDuration(args[0].Key)
	if err != nil {
		return usage("wait: %v", err)
	}
	time.Sleep(d)
	synctest.Wait() // for what is due at this very instant
	return nil
}

func (s *scenario) state() string {
	m := s.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	var queued, inFlight, failed offsets.Set
	for r := range m.tracker.PendingRanges() {
		inFlight.AddRange(r.From, r.To)
	}
	for r := range m.tracker.FailedRanges() {
		failed.AddRange(r.From, r.To)
		inFlight.RemoveRange(r.From, r.To)
	}
	for t := range m.waiting() {
		queued.Add(t.Offset())
		inFlight.Remove(t.Offset())
	}
	c := m.tracker.Counts()
	return fmt.Sprintf("committed=%d position=%d queued=%s in-flight=%s failed=%s dropped=%d lost=%d",
		m.tracker.Committed(), m.tracker.Position(),
		rangesText(queued.Ranges()), rangesText(inFlight.Ranges()), rangesText(failed.Ranges()), c.Dropped, c.Lost)
}

func rangesText(rs func(func(offsets.Range) bool)) string {
	var b strings.Builder
	for r := range rs {
		b.WriteString(r.String())
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}

// renew makes the tuples so far the old ones.
func (s *scenario) renew() {
	s.old = maps.Clone(s.tuples)
}
