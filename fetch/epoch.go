package fetch

import "slices"

// A Mark is what is known of a partition's history: the record before Offset was
// appended by the leader of this epoch.
type Mark struct {
	Offset int64
	Epoch  int32
}

// A lineage knows which leader epoch appended what was fetched last, as the list
// of the offsets at which the epoch changed. The zero value knows nothing.
// Guarded by the log's mu.
type lineage struct {
	starts []epochStart // ascending, the first maxEpochs changes forgotten
	end    int64        // one past the last offset that is known
}

// An epochStart says that an epoch begins at from; -1: it isn't known.
type epochStart struct {
	from  int64
	epoch int32
}

// maxEpochs bounds how many changes of epoch are remembered. A cut further back
// than that is told at the first of them.
const maxEpochs = 16

// note takes that [from, to) is of epoch e, and is what follows from there on.
func (g *lineage) note(from, to int64, e int32) {
	g.cut(from)
	if from > g.end {
		g.add(g.end, -1)
	}
	g.add(from, e)
	g.end = to
}

func (g *lineage) add(from int64, e int32) {
	if n := len(g.starts); n > 0 && g.starts[n-1].epoch == e {
		return
	}
	if g.starts = append(g.starts, epochStart{from, e}); len(g.starts) > maxEpochs {
		g.starts = slices.Delete(g.starts, 0, 1)
	}
}

// cut forgets what is at and above offset.
func (g *lineage) cut(offset int64) {
	g.end = min(g.end, offset)
	for n := len(g.starts); n > 0 && g.starts[n-1].from >= g.end; n = len(g.starts) {
		g.starts = g.starts[:n-1]
	}
}

// at returns the epoch of offset, -1 if it isn't known.
func (g *lineage) at(offset int64) int32 {
	if offset >= g.end {
		return -1
	}
	for _, s := range slices.Backward(g.starts) {
		if s.from <= offset {
			return s.epoch
		}
	}
	return -1
}

// last returns the mark of the last record that is known, false if there is none.
func (g *lineage) last() (Mark, bool) {
	m := Mark{g.end, g.at(g.end - 1)}
	return m, m.Epoch >= 0
}

// firstAbove returns the lowest offset known to be of an epoch above e, or the
// end.
func (g *lineage) firstAbove(e int32) int64 {
	for _, s := range g.starts {
		if s.epoch > e {
			return s.from
		}
	}
	return g.end
}

// An epochEnd is what a leader says of an epoch: in its log, the highest epoch not
// above the one asked for, and the offset where that ends. -1 in either says
// nothing.
type epochEnd struct {
	epoch int32
	end   int64
}

// cutBelow returns where m's history ends in the log of who told e, -1 if it
// doesn't end below m. first is the lowest offset known to be of an epoch above
// e.epoch, if m's is.
func (e epochEnd) cutBelow(m Mark, first int64) int64 {
	if e.epoch < 0 || e.end < 0 {
		return -1
	}
	cut := e.end
	if e.epoch < m.Epoch {
		cut = min(cut, first) // that epoch is unknown to the leader, so nothing of it is left
	}
	if cut >= m.Offset {
		return -1
	}
	return max(cut, 0)
}

// cuts returns the lowest cut that ends tell of ms, which they are parallel to:
// -1 if none does. Of the epoch of a mark no more is known than its one record.
func cuts(ms []Mark, ends []epochEnd) int64 {
	lowest := int64(-1)
	for i, m := range ms {
		if c := ends[i].cutBelow(m, m.Offset-1); c >= 0 && (lowest < 0 || c < lowest) {
			lowest = c
		}
	}
	return lowest
}
