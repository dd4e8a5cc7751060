package zkstate

import (
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
