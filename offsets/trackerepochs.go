package offsets

// epochs knows the leader epoch of each record that was taken, as the list of
// the offsets at which it changed. Leader epochs never go down along a log.
type epochs []epochStart

type epochStart struct {
	from  int64
	epoch int32
}

// note records that the log has epoch e from offset o on. -1 is one that isn't
// known: an older one in its place would end too early, and tell of a cut where
// there is none.
func (s *epochs) note(o int64, e int32) {
	if n := len(*s); n == 0 && e < 0 || n > 0 && (*s)[n-1].epoch == e {
		return
	}
	*s = append(*s, epochStart{o, e})
}

// at returns the epoch of offset o, -1 if it isn't known.
func (s epochs) at(o int64) int32 {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].from <= o {
			return s[i].epoch
		}
	}
	return -1
}

// trimBelow forgets what only tells of offsets below o.
func (s *epochs) trimBelow(o int64) {
	for len(*s) > 1 && (*s)[1].from <= o {
		*s = (*s)[1:]
	}
}

// trimFrom forgets what was told of offsets at and above o.
func (s *epochs) trimFrom(o int64) {
	for n := len(*s); n > 0 && (*s)[n-1].from >= o; n = len(*s) {
		*s = (*s)[:n-1]
	}
}
