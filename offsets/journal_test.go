package offsets

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// base is a checkpoint without offsets.
func base() Checkpoint {
	return Checkpoint{Partition: Partition{"t", 1}, ID: "id", Instance: "A", TopicID: TopicID{1}, LeaderEpoch: -1, AckedEpoch: -1}
}

// taken returns a tracker with [from, to) pending.
func taken(from, to int64) *Tracker {
	t := NewTracker(Policy{MaxBehind: -1}, from, 0)
	t.Take(from, to, -1)
	return t
}

// TestJournalWritesWhatDiffers: rule C1. Each row begins with [10, 20) pending and
// just that written, and does one thing.
func TestJournalWritesWhatDiffers(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *Tracker, base *Checkpoint)
		want   bool
	}{
		{"nothing", func(*Tracker, *Checkpoint) {}, false},
		{"an ack of the lowest", func(t *Tracker, _ *Checkpoint) { t.Ack(10) }, true},
		{"an ack above it", func(t *Tracker, _ *Checkpoint) { t.Ack(15) }, true},
		{"an ignored ack", func(t *Tracker, _ *Checkpoint) { t.Ack(20) }, false},
		{"more records", func(t *Tracker, _ *Checkpoint) { t.Take(20, 30, 1) }, false},
		{"a gap behind them", func(t *Tracker, _ *Checkpoint) { t.Advance(25, 0) }, true},
		{"another instance", func(_ *Tracker, b *Checkpoint) { b.Instance = "B" }, true},
		{"another topic", func(_ *Tracker, b *Checkpoint) { b.TopicID = TopicID{2} }, true},
		{"another leader", func(_ *Tracker, b *Checkpoint) { b.Broker.Host = "other" }, false},
		{"another owner", func(_ *Tracker, b *Checkpoint) { b.Owner = &Owner{Member: "m"} }, false},
		{"a cut", func(t *Tracker, _ *Checkpoint) { t.Truncate(5) }, true},
		{"acked, then cut off", func(t *Tracker, _ *Checkpoint) { t.Ack(19); t.Truncate(19) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, names := taken(10, 20), base()
			j := NewJournal(Stored{Version: NoVersion})
			w, ok := j.Begin(tr, names)
			if !ok || w.Version != NoVersion {
				t.Fatalf("the first Begin = version %d, %t, want %d, true", w.Version, ok, NoVersion)
			}
			j.End(w, nil)
			tt.change(tr, &names)
			w, ok = j.Begin(tr, names)
			if ok != tt.want {
				t.Fatalf("Begin = %+v, %t, want %t", w, ok, tt.want)
			}
			if !ok {
				return
			}
			if w.Version != 0 || w.Checkpoint.Offset != tr.Committed() || !slices.Equal(w.Checkpoint.Acked, tr.Acked()) {
				t.Errorf("Begin = %+v, want version 0, offset %d, acked %v", w, tr.Committed(), tr.Acked())
			}
			if w, ok := j.Begin(tr, names); ok {
				t.Errorf("Begin during a write = %+v, want none", w)
			}
			j.End(w, nil)
			if w, ok := j.Begin(tr, names); ok {
				t.Errorf("Begin after the write = %+v, want none", w)
			}
		})
	}
}

// TestJournalRefusedWrite: rule C2. A refused write is offered again, with what
// was acked in between, for the same version.
func TestJournalRefusedWrite(t *testing.T) {
	tr := taken(0, 5)
	j := NewJournal(Stored{Version: 7, Checkpoint: Checkpoint{
		Partition: base().Partition, Instance: "A", TopicID: TopicID{1},
		Extra: map[string]json.RawMessage{"theirs": json.RawMessage("1")},
	}})
	if w, ok := j.Begin(tr, base()); ok {
		t.Fatalf("Begin with what is stored = %+v, want none", w)
	}
	tr.Ack(0)
	w, ok := j.Begin(tr, base())
	if !ok || w.Version != 7 || w.Checkpoint.Offset != 1 {
		t.Fatalf("Begin = %+v, %t, want offset 1 in the place of version 7", w, ok)
	}
	tr.Ack(1)
	if !j.Outstanding() {
		t.Error("the write isn't outstanding")
	}
	j.End(w, errors.New("refused"))
	if c, ok := j.Written(); !ok || c.Offset != 0 {
		t.Errorf("Written = %+v, %t, want what was stored before", c, ok)
	}
	w, ok = j.Begin(tr, base())
	if !ok || w.Version != 7 || w.Checkpoint.Offset != 2 || string(w.Checkpoint.Extra["theirs"]) != "1" {
		t.Fatalf("Begin = %+v, %t, want offset 2 in the place of version 7, with unknown keys", w, ok)
	}
	tr.Ack(2) // while it is under way
	j.End(w, nil)
	w, ok = j.Begin(tr, base())
	if !ok || w.Version != 8 || w.Checkpoint.Offset != 3 {
		t.Fatalf("Begin = %+v, %t, want offset 3 in the place of version 8", w, ok)
	}
}
