package spout

import (
	"slices"
	"testing"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/offsets"
)

// TestCutByEpochs: KIP-320. The log was cut to 50 under a position of 80 and has
// grown to 90, which only the leader epochs tell: it goes on at 50, what is
// pending from there on is lost, what was done there is told as truncated.
func TestCutByEpochs(t *testing.T) {
	var lost []Loss
	var cuts []Truncation
	var log *scriptLog
	m, store, _ := openScripted(t, 80, func(o *managerOptions, l *scriptLog) {
		log = l
		o.events = Events{Lost: func(l Loss) { lost = append(lost, l) }, Truncated: func(c Truncation) { cuts = append(cuts, c) }}
	})
	take := func() map[int64]*Tuple {
		t.Helper()
		out := map[int64]*Tuple{}
		for {
			ts, err := m.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(ts) == 0 {
				return out
			}
			out[ts[0].Offset()] = &ts[0]
		}
	}
	first := take()
	for o := range int64(80) {
		if o != 40 && o != 60 && o != 61 { // 40 and 60 in flight, 61 failed
			first[o].Ack()
		}
	}
	first[61].Fail(nil)
	m.mu.Lock()
	m.tracker.Emitted(79)
	m.mu.Unlock()

	log.end, log.cuts = 90, []int64{50}
	second := take()
	if len(second) != 40 || second[50] == nil || second[89] == nil {
		t.Errorf("%d records came after the cut, want those of [50,90)", len(second))
	}
	if want := []Loss{{scenarioPartition, 2, LostTruncated}}; !slices.Equal(lost, want) {
		t.Errorf("lost %v, want %v", lost, want)
	}
	if want := []Truncation{{scenarioPartition, 50, 28}}; !slices.Equal(cuts, want) {
		t.Errorf("truncated %v, want %v", cuts, want)
	}
	if m.ack(first[60]) {
		t.Error("an ack of 60 from before the cut counted")
	}
	if !m.ack(first[40]) {
		t.Error("an ack of 40, which lies below the cut, didn't count")
	}
	second[50].Ack()
	if err := m.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, _ := store.Load(t.Context(), []offsets.Partition{scenarioPartition})
	if c := stored[0].Checkpoint; c.Offset != 51 {
		t.Errorf("stored %d, want 51", c.Offset)
	}
}

// TestCutBelowRestoredAcks: what a checkpoint says is done above a cut comes again,
// also where the position lies below it.
func TestCutBelowRestoredAcks(t *testing.T) {
	m, _, _ := openScripted(t, 90, func(_ *managerOptions, l *scriptLog) { l.cuts = []int64{60} })
	m.tracker.Restore([]offsets.Range{{From: 50, To: 55}, {From: 70, To: 75}}, -1, -1)
	n := 0
	for ts, err := m.next(t.Context()); len(ts) > 0 || err != nil; ts, err = m.next(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 90-5 {
		t.Errorf("%d records came, want all but the 5 restored below the cut", n)
	}
}

// TestOpenAtACut: rule O5 with a cut that the stored leader epochs told.
func TestOpenAtACut(t *testing.T) {
	acked := []offsets.Range{{From: 70, To: 75}, {From: 85, To: 90}}
	for name, tt := range map[string]struct {
		look      fetch.Look
		mode      OutOfRangePolicy
		position  int64
		acked     []offsets.Range
		lost      int64
		undone    int64
		leader    int32
		untouched bool
	}{
		"none": {look: fetch.Look{End: 100, Cut: -1}, position: 60, acked: acked, leader: 3, untouched: true},
		"above the offset, below the acks": {look: fetch.Look{End: 100, Cut: 80}, position: 60,
			acked: acked[:1], undone: 5, leader: 3},
		"at the offset":    {look: fetch.Look{End: 100, Cut: 60}, position: 60, undone: 10, leader: 3},
		"in the acks":      {look: fetch.Look{End: 100, Cut: 72}, position: 60, acked: []offsets.Range{{From: 70, To: 72}}, undone: 8, leader: 3},
		"below the offset": {look: fetch.Look{End: 100, Cut: 50}, position: 50, undone: 20, leader: -1},
		"below the offset, which is above the end":   {look: fetch.Look{End: 55, Cut: 50}, position: 50, undone: 20, leader: -1},
		"below the log start":                        {look: fetch.Look{Start: 55, End: 100, Cut: 50}, position: 55, lost: 5, undone: 20, leader: -1},
		"below the log start, which is above it all": {look: fetch.Look{Start: 95, End: 100, Cut: 50}, position: 95, lost: 45, undone: 20, leader: -1},
		"latest is for unknown history":              {look: fetch.Look{End: 55, Cut: 50}, mode: ResetLatest, position: 50, undone: 20, leader: -1},
	} {
		t.Run(name, func(t *testing.T) {
			o := &managerOptions{partition: scenarioPartition, instance: "A", onOutOfRange: tt.mode, policy: offsets.Policy{MaxBehind: -1}}
			d, err := decide(o, tt.look, offsets.Stored{Version: 1, Checkpoint: offsets.Checkpoint{
				Instance: "A", Offset: 60, Acked: slices.Clone(acked), LeaderEpoch: 3, AckedEpoch: 3}})
			if err != nil {
				t.Fatal(err)
			}
			if d.position != tt.position || !slices.Equal(d.acked, tt.acked) || d.lost != tt.lost || d.dropped != 0 || d.leader != tt.leader || d.changed == tt.untouched {
				t.Errorf("%+v, want %+v", d, tt)
			}
			if (d.cut == nil) != tt.untouched || d.cut != nil && d.cut.Undone != tt.undone {
				t.Errorf("cut %+v, want %d undone", d.cut, tt.undone)
			}
		})
	}
	o := &managerOptions{partition: scenarioPartition, onOutOfRange: StopOutOfRange}
	if _, err := decide(o, fetch.Look{End: 55, Cut: 50}, offsets.Stored{Version: 1, Checkpoint: offsets.Checkpoint{Offset: 60}}); err == nil {
		t.Error("opened out of range, against the setting")
	}
}

// TestMarks: what is asked about at open.
func TestMarks(t *testing.T) {
	got := marks([]offsets.Stored{
		{Version: offsets.NoVersion},
		{Version: 1, Checkpoint: offsets.Checkpoint{Offset: 60, LeaderEpoch: 3, AckedEpoch: -1}},
		{Version: 1, Checkpoint: offsets.Checkpoint{Offset: 60, LeaderEpoch: -1, AckedEpoch: 4, Acked: []offsets.Range{{From: 70, To: 75}, {From: 85, To: 90}}}},
		{Version: 1, Checkpoint: offsets.Checkpoint{Offset: 0, LeaderEpoch: 0, AckedEpoch: 0}},
		{Version: 1, Err: errStore, Checkpoint: offsets.Checkpoint{Offset: 60, LeaderEpoch: 3}},
	})
	want := [][]fetch.Mark{nil, {{Offset: 60, Epoch: 3}}, {{Offset: 90, Epoch: 4}}, nil, nil}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}
