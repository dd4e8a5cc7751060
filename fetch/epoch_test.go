package fetch

import "testing"

// What a lineage doesn't know it doesn't tell, and what is fetched again replaces
// what was.
func TestLineage(t *testing.T) {
	var g lineage
	if _, ok := g.last(); ok {
		t.Error("the zero value knows something")
	}
	g.note(49, 50, 1)
	g.note(50, 60, 1)
	g.note(60, 80, 2)
	g.note(100, 110, 4) // a jump
	for o, want := range map[int64]int32{48: -1, 49: 1, 59: 1, 60: 2, 79: 2, 80: -1, 99: -1, 100: 4, 109: 4, 110: -1} {
		if got := g.at(o); got != want {
			t.Errorf("epoch at %d is %d, want %d", o, got, want)
		}
	}
	g.note(70, 75, 3)
	if m, ok := g.last(); !ok || m != (Mark{75, 3}) || g.at(69) != 2 {
		t.Errorf("last %v, %t, epoch %d before it; want 75 of 3, and 2", m, ok, g.at(69))
	}
	for e := range int32(100) {
		g.note(75+int64(e), 76+int64(e), 4+e)
	}
	if len(g.starts) != maxEpochs || g.at(75) != -1 || g.at(174) != 103 {
		t.Errorf("%d epochs, %d at 75, %d at 174", len(g.starts), g.at(75), g.at(174))
	}
}

// Where an answer says that a history ends. One of -1 says nothing (franz-go
// 1.21.4), and an epoch that the leader doesn't know has nothing left.
func TestCutBelow(t *testing.T) {
	for _, tt := range []struct {
		told  epochEnd
		first int64
		want  int64
	}{
		{epochEnd{2, 80}, 80, -1},
		{epochEnd{2, 90}, 80, -1},
		{epochEnd{2, 50}, 80, 50},
		{epochEnd{2, 0}, 80, 0},
		{epochEnd{1, 60}, 70, 60},
		{epochEnd{1, 75}, 70, 70},
		{epochEnd{1, 99}, 70, 70},
		{epochEnd{-1, 50}, 70, -1},
		{epochEnd{2, -1}, 80, -1},
		{epochEnd{-1, -1}, 0, -1},
	} {
		if got := tt.told.cutBelow(Mark{80, 2}, tt.first); got != tt.want {
			t.Errorf("%+v, first above it at %d: cut at %d, want %d", tt.told, tt.first, got, tt.want)
		}
	}
}
