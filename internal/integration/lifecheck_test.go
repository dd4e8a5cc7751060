package integration

import (
	"strings"
	"testing"

	"github.com/kspout/kspout/offsets"
)

// at is what is stored of a partition.
func at(offset int64, acked ...offsets.Range) []offsets.Checkpoint {
	return []offsets.Checkpoint{{Offset: offset, Acked: acked}}
}

// given is one delivery of partition 0.
func given(offset int64, attempt int, failed bool) delivery {
	return delivery{Topic: "t", Offset: offset, Attempt: attempt, Failed: failed, Value: content(valueAt(0, offset))}
}

func TestLife(t *testing.T) {
	const failed = true
	altered := given(0, 1, false)
	altered.Value = content("other")
	foreign := given(0, 1, false)
	foreign.Partition = 1
	tests := []struct {
		name   string
		before []offsets.Checkpoint
		given  []delivery
		after  []offsets.Checkpoint
		want   string // part of the fault; "" for none
		clean  string // the same of checkClean
	}{
		{name: "nothing happens", before: at(0), after: at(0)},
		{name: "all acked and stored", before: at(0), given: []delivery{given(0, 1, false), given(1, 1, false)}, after: at(2)},
		{name: "acked, and killed before the commit", before: at(0), given: []delivery{given(0, 1, false)}, after: at(0), clean: "1 × acked and not stored"},
		{name: "failed and retried", before: at(0), given: []delivery{given(0, 1, failed), given(1, 1, false), given(0, 2, false)}, after: at(2)},
		{name: "failed and pending", before: at(0), given: []delivery{given(0, 1, failed), given(1, 1, false)}, after: at(0, offsets.Range{From: 1, To: 2})},
		{name: "continued above restored acks", before: at(0, offsets.Range{From: 1, To: 3}), given: []delivery{given(0, 1, false), given(3, 1, false)}, after: at(4)},

		{name: "again below the offset", before: at(1), given: []delivery{given(0, 1, false)}, after: at(1), want: "though it was stored as done"},
		{name: "again in an acked range", before: at(0, offsets.Range{From: 1, To: 3}), given: []delivery{given(2, 1, false)}, after: at(0, offsets.Range{From: 1, To: 3}), want: "though it was stored as done"},
		{name: "again after its ack", before: at(0), given: []delivery{given(0, 1, false), given(0, 2, false)}, after: at(1), want: "again after its ack"},
		{name: "retry counted as a first delivery", before: at(0), given: []delivery{given(0, 1, failed), given(0, 1, false)}, after: at(1), want: "miscounted"},
		{name: "first delivery counted as a retry", before: at(0), given: []delivery{given(0, 2, false)}, after: at(1), want: "miscounted"},
		{name: "stored without a delivery", before: at(0), given: []delivery{given(0, 1, false)}, after: at(2), want: "stored as done without an ack"},
		{name: "stored as acked without a delivery", before: at(0), after: at(0, offsets.Range{From: 3, To: 5}), want: "2 × stored as done without an ack"},
		{name: "stored though failed", before: at(0), given: []delivery{given(0, 1, failed)}, after: at(1), want: "stored as done without an ack"},
		{name: "offset went back", before: at(2), after: at(1), want: "done before, and not after"},
		{name: "acks forgotten", before: at(0, offsets.Range{From: 1, To: 3}), after: at(0), want: "2 × done before, and not after"},
		{name: "altered", before: at(0), given: []delivery{altered}, after: at(1), want: "altered"},
		{name: "of another partition", before: at(0), given: []delivery{foreign}, after: at(0), want: "not in the log"},
		{name: "beyond the end", before: at(0), given: []delivery{given(5, 1, false)}, after: at(0), want: "not in the log"},
		{name: "stored beyond the end", before: at(5), after: at(6), want: "stored beyond the log"},
	}
	ends := []int64{5}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := life{before: tt.before, after: tt.after, deliveries: tt.given}
			expect(t, "check", l.check(ends), tt.want)
			expect(t, "checkClean", l.checkClean(ends), tt.want+tt.clean)
		})
	}
}

func TestCheckComplete(t *testing.T) {
	ends := []int64{5}
	expect(t, "all done", checkComplete(at(5), ends), "")
	expect(t, "one missing", checkComplete(at(4), ends), "not all is done")
	expect(t, "a hole", checkComplete(at(3, offsets.Range{From: 4, To: 5}), ends), "not all is done")
}

func TestDoneCount(t *testing.T) {
	all, above := doneCount(append(at(3, offsets.Range{From: 4, To: 6}), at(1)...))
	if all != 6 || above != 2 {
		t.Errorf("doneCount = %d, %d; want 6, 2", all, above)
	}
}

func expect(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v; want %q", what, err, want)
	}
}
