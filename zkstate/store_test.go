package zkstate

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
