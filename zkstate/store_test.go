package zkstate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/offsets"
)

func newStore(t testing.TB, c *Client) *Store {
	t.Helper()
	s, err := NewStore(c, StoreConfig{Root: "/spout", ID: "app"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkpoint is what this test's consumer would store.
func checkpoint(topic string, n int32, offset int64) offsets.Checkpoint {
	return offsets.Checkpoint{
		Partition: offsets.Partition{Topic: topic, Number: n}, ID: "app", Instance: "A", Offset: offset,
		Broker: offsets.Broker{Host: "127.0.0.1", Port: 9092}, LeaderEpoch: -1, AckedEpoch: -1,
	}
}

// writes are the same offset for partitions 0 to n-1.
func writes(n int, offset int64, version int32) []offsets.Write {
	ws := make([]offsets.Write, n)
	for i := range ws {
		ws[i] = offsets.Write{Checkpoint: checkpoint("orders", int32(i), offset), Version: version}
	}
	return ws
}

// saved saves what must succeed.
func saved(t testing.TB, s *Store, ws []offsets.Write) {
	t.Helper()
	for i, err := range s.Save(bounded(t, 30*time.Second), ws) {
		if err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
	}
}

// wantStored checks what a partition holds.
func wantStored(t testing.TB, s *Store, p offsets.Partition, offset int64, version int32) {
	t.Helper()
	got, err := s.Load(bounded(t, 20*time.Second), []offsets.Partition{p})
	if err != nil {
		t.Fatal(err)
	}
	if g := got[0]; g.Version != version || version >= 0 && (g.Err != nil || g.Checkpoint.Offset != offset) {
		t.Errorf("%s: version %d, offset %d, error %v; want version %d, offset %d", p, g.Version, g.Checkpoint.Offset, g.Err, version, offset)
	}
}

func orders(n int32) offsets.Partition { return offsets.Partition{Topic: "orders", Number: n} }

func TestStoreLoadsWhatItSaved(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		s := newStore(t, st.connect(t))
		ps := []offsets.Partition{{Topic: "b", Number: 1}, {Topic: "a", Number: 7}, {Topic: "b", Number: 0}}
		got, err := s.Load(t.Context(), ps)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range got {
			if g.Partition != ps[i] || g.Version != offsets.NoVersion || g.Err != nil ||
				g.Path != fmt.Sprintf("/spout/app/%s/partition_%d", ps[i].Topic, ps[i].Number) {
				t.Errorf("nothing stored: %+v", g)
			}
		}
		saved(t, s, []offsets.Write{
			{Checkpoint: checkpoint("a", 7, 70), Version: offsets.NoVersion},
			{Checkpoint: checkpoint("b", 1, 10), Version: offsets.NoVersion},
		})
		saved(t, s, []offsets.Write{{Checkpoint: checkpoint("a", 7, 71), Version: 0}})
		got, err = s.Load(t.Context(), ps)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct {
			version int32
			offset  int64
		}{{0, 10}, {1, 71}, {offsets.NoVersion, 0}} {
			if g := got[i]; g.Version != want.version || g.Checkpoint.Offset != want.offset || g.Err != nil {
				t.Errorf("%s: %+v, want %+v", ps[i], g, want)
			}
		}
		if errs := s.Save(t.Context(), nil); len(errs) != 0 {
			t.Errorf("saving nothing gave %v", errs)
		}
		if got, err := s.Load(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("loading nothing gave %v, %v", got, err)
		}
	})
}

func TestStoreSettings(t *testing.T) {
	for _, cfg := range []StoreConfig{
		{}, {Root: "spout", ID: "a"}, {Root: "/a//b", ID: "a"}, {Root: "/spout"}, {Root: "/spout", ID: "a/b"},
		{Root: "/spout", ID: ".."}, {Root: "/spout", ID: "a\x00"}, {Root: "/spout", ID: "a", Layout: 7},
	} {
		if _, err := NewStore(nil, cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	for root, want := range map[string]string{"/": "/a/t/partition_0", "/x/": "/x/a/t/partition_0", "/x/y": "/x/y/a/t/partition_0"} {
		s, err := NewStore(nil, StoreConfig{Root: root, ID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := s.places.path(offsets.Partition{Topic: "t"}); got != want {
			t.Errorf("root %q: %s, want %s", root, got, want)
		}
	}
}

func TestFlatLayoutHoldsOneTopic(t *testing.T) {
	c := local(t).connect(t)
	s, err := NewStore(c, StoreConfig{Root: "/storm", ID: "app", Layout: Flat})
	if err != nil {
		t.Fatal(err)
	}
	saved(t, s, writes(2, 5, offsets.NoVersion))
	get(t, c, "/storm/app/partition_1")
	other := offsets.Partition{Topic: "other"}
	if _, err := s.Load(t.Context(), []offsets.Partition{orders(0), other}); err == nil || !strings.Contains(err.Error(), "one topic") {
		t.Errorf("load of two topics: %v", err)
	}
	errs := s.Save(t.Context(), []offsets.Write{{Checkpoint: checkpoint("other", 0, 1), Version: 0}, {Checkpoint: checkpoint("orders", 0, 6), Version: 0}})
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "orders") || errs[1] != nil {
		t.Errorf("save of two topics: %v", errs)
	}
}

func TestUnreadableValueIsToldAndKept(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		s := newStore(t, c)
		saved(t, s, writes(3, 1, offsets.NoVersion))
		ask(t, c, Set{Path: "/spout/app/orders/partition_1", Data: []byte("garbage"), Version: AnyVersion})
		got, err := s.Load(t.Context(), []offsets.Partition{orders(0), orders(1), orders(2)})
		if err != nil {
			t.Fatal(err)
		}
		wantErr(t, got[1].Err, offsets.ErrUnreadable, "/spout/app/orders/partition_1")
		if got[0].Err != nil || got[2].Err != nil || got[1].Version != 1 {
			t.Errorf("got %+v", got)
		}
		errs := s.Save(t.Context(), writes(3, 2, 0))
		wantErr(t, errs[1], offsets.ErrFenced, "isn't a checkpoint")
		if data, _ := get(t, c, "/spout/app/orders/partition_1"); data != "garbage" {
			t.Errorf("stored %q", data)
		}
	})
}

func TestSaveSendsFewMultis(t *testing.T) {
	st := local(t)
	var tap tap
	s := newStore(t, st.connect(t, tap.into))
	saved(t, s, writes(450, 1, offsets.NoVersion))
	count := func(ws []offsets.Write) int {
		before := tap.count()
		saved(t, s, ws)
		return tap.count() - before
	}
	if n := count(writes(450, 2, 0)); n != 3 {
		t.Errorf("450 partitions took %d requests, want 3", n)
	}
	large := writes(20, 3, 1)
	for i := range large {
		large[i].Checkpoint.Extra = padding(60 << 10)
	}
	if n := count(large); n != 3 {
		t.Errorf("20 values of 60 KiB took %d requests, want 3", n)
	}
	if n := count(writes(1, 4, 2)); n != 1 {
		t.Errorf("one partition took %d requests, want 1", n)
	}
}

func padding(n int) map[string]json.RawMessage {
	return map[string]json.RawMessage{"pad": json.RawMessage(`"` + strings.Repeat("x", n) + `"`)}
}

func TestSaveRefusesWhatIsTooLarge(t *testing.T) {
	s := newStore(t, local(t).connect(t))
	ws := writes(3, 1, offsets.NoVersion)
	ws[1].Checkpoint.Extra = padding(s.MaxBytes())
	errs := s.Save(t.Context(), ws)
	wantErr(t, errs[1], ErrTooLarge, "orders/1")
	if errs[0] != nil || errs[2] != nil {
		t.Errorf("the others: %v", errs)
	}
	ws = writes(1, 1, -7)
	if err := s.Save(t.Context(), ws)[0]; err == nil {
		t.Error("version -7 was taken")
	}
}

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

// The reply of a multi is lost: it's found to be applied, and nothing is
// written twice.
func TestSaveResolvesALostReply(t *testing.T) {
	for _, n := range []int{1, 5} {
		for _, create := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d create=%t", n, create), func(t *testing.T) {
				st := local(t)
				s := newStore(t, st.connect(t))
				version := offsets.NoVersion
				if !create {
					saved(t, s, writes(n, 1, version))
					version++
				} else {
					saved(t, s, []offsets.Write{{Checkpoint: checkpoint("orders", 99, 0), Version: version}})
				}
				f := st.local.LoseReply(zkserver.Match{Path: "/spout/app/orders/partition_0"})
				defer f.Remove()
				saved(t, s, writes(n, 2, version))
				if f.Strikes() != 1 {
					t.Fatal("the reply wasn't lost")
				}
				wantStored(t, s, orders(0), 2, version+1)
			})
		}
	}
}

func TestSaveRepeatsWhatWasNotApplied(t *testing.T) {
	st := local(t)
	s := newStore(t, st.connect(t))
	f := st.local.CutBeforeApply(zkserver.Match{Path: "/spout/app/orders/partition_0", Times: 2})
	defer f.Remove()
	saved(t, s, writes(5, 1, offsets.NoVersion))
	saved(t, s, writes(5, 2, 0))
	if f.Strikes() != 2 {
		t.Errorf("%d cuts", f.Strikes())
	}
	wantStored(t, s, orders(0), 2, 1)
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

func TestSaveWaitsWhileZooKeeperIsAway(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		s := newStore(t, c)
		saved(t, s, writes(50, 1, offsets.NoVersion))
		st.stop(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		for _, err := range s.Save(ctx, writes(50, 2, 0)) {
			wantErr(t, err, context.DeadlineExceeded, "orders/", "ZooKeeper")
		}
		if _, err := s.Load(ctx, []offsets.Partition{orders(0)}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("load: %v", err)
		}
		done := make(chan []error)
		go func() { done <- s.Save(bounded(t, 30*time.Second), writes(50, 3, 0)) }()
		until(t, "disconnected", func() bool { return !c.Session().Connected })
		st.start(t)
		for i, err := range <-done {
			// The write that was given up may have been applied before the stop.
			if err != nil && !errors.Is(err, offsets.ErrFenced) {
				t.Errorf("partition %d: %v", i, err)
			}
		}
		settled(t, c)
	})
}

func TestSaveTellsThatTheOutcomeIsUnknown(t *testing.T) {
	st := local(t)
	c := st.connect(t)
	s := newStore(t, c)
	saved(t, s, writes(3, 1, offsets.NoVersion))
	st.local.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, err := range s.Save(ctx, writes(3, 2, 0)) {
		wantErr(t, err, context.DeadlineExceeded, "outcome unknown")
	}
	st.local.Resume()
	settled(t, c)
}

func TestSaveGoesOnInANewSession(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		s := newStore(t, c)
		saved(t, s, writes(20, 1, offsets.NoVersion))
		for round := range 3 {
			var wg sync.WaitGroup
			wg.Go(func() { st.expire(t, c) })
			saved(t, s, writes(20, int64(round), int32(round)))
			wg.Wait()
		}
		wantStored(t, s, orders(7), 2, 3)
	})
}

func TestSaveAfterClose(t *testing.T) {
	c := local(t).connect(t)
	s := newStore(t, c)
	c.Close()
	wantErr(t, s.Save(t.Context(), writes(1, 1, offsets.NoVersion))[0], ErrClosed, "orders/0")
	_, err := s.Load(t.Context(), []offsets.Partition{orders(0)})
	wantErr(t, err, ErrClosed)
}

// Under random faults every write that is reported stored is stored, with the
// version that the store's rules give it, and no write is fenced by itself.
func TestStoreUnderFaults(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	st := local(t)
	c := st.connect(t, quietly, func(cfg *Config) { cfg.MaxInFlight = 16 })
	s := newStore(t, c)

	stop := make(chan struct{})
	var faults, savers sync.WaitGroup
	faults.Go(func() {
		rng := rand.New(rand.NewPCG(seed, 0))
		for {
			m := zkserver.Match{Path: fmt.Sprintf("/spout/app/t%d/*", rng.IntN(4)), Skip: rng.IntN(3)}
			var f *zkserver.Fault
			switch rng.IntN(5) {
			case 0, 1:
				f = st.local.LoseReply(m)
			case 2:
				f = st.local.CutBeforeApply(m)
			case 3:
				st.local.ExpireSession(c.Session().ID)
			case 4:
				st.local.DropConn(c.Session().ID)
			}
			select {
			case <-time.After(time.Duration(rng.IntN(20)) * time.Millisecond):
			case <-stop:
			}
			if f != nil {
				f.Remove()
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	const rounds, partitions = 30, 40
	for topic := range 4 {
		savers.Go(func() {
			for round := range rounds {
				var ws []offsets.Write
				for n := range partitions {
					ws = append(ws, offsets.Write{
						Checkpoint: checkpoint(fmt.Sprintf("t%d", topic), int32(n), int64(round)), Version: int32(round) - 1,
					})
				}
				for i, err := range s.Save(bounded(t, 60*time.Second), ws) {
					if err != nil {
						t.Errorf("topic %d, round %d, write %d: %v", topic, round, i, err)
						return
					}
				}
			}
		})
	}
	savers.Wait()
	close(stop)
	faults.Wait()
	for topic := range 4 {
		for n := range partitions {
			wantStored(t, s, offsets.Partition{Topic: fmt.Sprintf("t%d", topic), Number: int32(n)}, rounds-1, rounds-1)
		}
	}
	settled(t, c)
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
