package zkstate

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/offsets"
)

// Fenced one of 100: 99 are written, one is told who wrote.
func TestFencedOneOfMany(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		var tap tap
		c := st.connect(t, tap.into)
		s, other := newStore(t, c), newStore(t, c)
		saved(t, s, writes(100, 1, offsets.NoVersion))
		taken := checkpoint("orders", 42, 17)
		taken.Instance, taken.Owner = "B", &offsets.Owner{Member: "host-2", Epoch: 99, Generation: 7}
		saved(t, other, []offsets.Write{{Checkpoint: taken, Version: 0}})

		before := tap.count()
		errs := s.Save(t.Context(), writes(100, 2, 0))
		for i, err := range errs {
			if i == 42 {
				wantErr(t, err, offsets.ErrFenced, `"B"`, "host-2", "generation 7", "offset 17", "/spout/app/orders/partition_42", "version 1")
			} else if err != nil {
				t.Errorf("partition %d: %v", i, err)
			}
		}
		if n := tap.count() - before; n > 1+101+1 { // multi, sync and reads, multi
			t.Errorf("%d requests", n)
		}
		wantStored(t, s, orders(42), 17, 1)
		wantStored(t, s, orders(41), 2, 1)
	})
}

// Whatever the number of stale ones: a read and a multi more.
func TestManyFencedTakeFewRounds(t *testing.T) {
	st := local(t)
	var tap tap
	c := st.connect(t, tap.into)
	s, other := newStore(t, c), newStore(t, c)
	saved(t, s, writes(400, 1, offsets.NoVersion))
	var theirs []offsets.Write
	for i := int32(0); i < 400; i += 2 {
		theirs = append(theirs, offsets.Write{Checkpoint: checkpoint("orders", i, 9), Version: 0})
	}
	saved(t, other, theirs)
	before := tap.count()
	for i, err := range s.Save(t.Context(), writes(400, 2, 0)) {
		if fenced := errors.Is(err, offsets.ErrFenced); fenced != (i%2 == 0) || !fenced && err != nil {
			t.Errorf("partition %d: %v", i, err)
		}
	}
	if n := tap.count() - before; n > 2+401+2 {
		t.Errorf("%d requests", n)
	}
}

func TestSaveWhereTheNodeIsAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		s := newStore(t, c)
		saved(t, s, writes(5, 1, offsets.NoVersion))
		ask(t, c, Delete{Path: "/spout/app/orders/partition_1"},
			Delete{Path: "/spout/app/orders/partition_2"}, Create{Path: "/spout/app/orders/partition_2"})
		ws := writes(5, 2, 0)
		ws[3].Version = offsets.NoVersion
		ws[4].Version = 1
		ws[2].Version = 3
		errs := s.Save(t.Context(), ws)
		if errs[0] != nil {
			t.Error(errs[0])
		}
		wantErr(t, errs[1], offsets.ErrFenced, "deleted")
		wantErr(t, errs[2], offsets.ErrFenced, "version 0 is stored, 3 was expected")
		wantErr(t, errs[3], offsets.ErrFenced, "none was expected")
		wantErr(t, errs[4], offsets.ErrFenced, "version 0 is stored, 1 was expected")
	})
}

// One that ZooKeeper refuses doesn't keep the others.
func TestSaveWithoutPermissionForOne(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		s := newStore(t, c)
		saved(t, s, writes(10, 1, offsets.NoVersion))
		readOnly := []ACL{{PermRead, "world", "anyone"}}
		for _, n := range []int{2, 5, 6} {
			ask(t, c, SetACL{Path: fmt.Sprintf("/spout/app/orders/partition_%d", n), ACL: readOnly, Version: AnyVersion})
		}
		for i, err := range s.Save(t.Context(), writes(10, 2, 0)) {
			if i == 2 || i == 5 || i == 6 {
				wantErr(t, err, ErrNoAuth, fmt.Sprintf("partition_%d", i))
			} else if err != nil {
				t.Errorf("partition %d: %v", i, err)
			}
		}
		ask(t, c, Create{Path: "/shut", ACL: readOnly}, Create{Path: "/shut2"})
		shut, err := NewStore(c, StoreConfig{Root: "/shut", ID: "app"})
		if err != nil {
			t.Fatal(err)
		}
		wantErr(t, shut.Save(t.Context(), writes(2, 1, offsets.NoVersion))[1], ErrNoAuth, "orders/1", "/shut/app")
	})
}

// A multi is lost, applied or not, and somebody else writes before it's looked
// up.
func TestLostThenFenced(t *testing.T) {
	for _, applied := range []bool{true, false} {
		t.Run(fmt.Sprintf("applied=%t", applied), func(t *testing.T) {
			st := local(t)
			mine, other := newStore(t, st.connect(t)), newStore(t, st.connect(t))
			saved(t, mine, writes(3, 1, offsets.NoVersion))
			lose, version := st.local.LoseReply, int32(1)
			if !applied {
				lose, version = st.local.CutBeforeApply, 0
			}
			f := lose(zkserver.Match{Op: zkserver.OpMulti})
			defer f.Remove()
			st.local.RefuseDials(true)
			done := make(chan []error)
			go func() { done <- mine.Save(bounded(t, 20*time.Second), writes(3, 2, 0)) }()
			within(t, 5*time.Second, "loss", f.Spent())
			taken := checkpoint("orders", 1, 2)
			taken.Instance = "B"
			saved(t, other, []offsets.Write{{Checkpoint: taken, Version: version}})
			st.local.RefuseDials(false)
			errs := <-done
			if errs[0] != nil || errs[2] != nil {
				t.Errorf("the others: %v", errs)
			}
			wantErr(t, errs[1], offsets.ErrFenced, `"B"`)
			wantStored(t, mine, orders(0), 2, 1)
		})
	}
}

// What is byte-equal and not in doubt is another's all the same.
func TestEqualBytesDontExcuse(t *testing.T) {
	s := newStore(t, local(t).connect(t))
	ws := writes(1, 1, offsets.NoVersion)
	saved(t, s, ws)
	wantErr(t, s.Save(t.Context(), ws)[0], offsets.ErrFenced)
	a, _ := ws[0].Checkpoint.Encode()
	if b, _ := ws[0].Checkpoint.Encode(); !bytes.Equal(a, b) {
		t.Error("encoding isn't stable")
	}
}
