package zkstate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDoAnswersInOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		resps := c.Do(t.Context(),
			Exists{Path: "/a"},
			Create{Path: "/a", Data: []byte("one")},
			Get{Path: "/a"},
			Set{Path: "/a", Data: []byte("two"), Version: 0},
			Set{Path: "/a", Data: []byte("three"), Version: 0},
			Create{Path: "/a"},
			Create{Path: "/a/s-", Sequential: true},
			Create{Path: "/a/e", Ephemeral: true},
			Create{Path: "/a/e/f"},
			Delete{Path: "/a", Version: AnyVersion},
			Children{Path: "/a"},
			Get{Path: "/missing"},
			Sync{Path: "/a"},
			GetACL{Path: "/a"},
			SetACL{Path: "/a", ACL: []ACL{{PermRead, "world", "anyone"}}, Version: AnyVersion},
		)
		// ZooKeeper holds requests that are already in its pipeline to the ACL
		// before: these go out when it's applied.
		resps = append(resps, c.Do(t.Context(),
			Set{Path: "/a", Version: AnyVersion},
			Get{Path: "/a"},
			Delete{Path: "/a/e", Version: AnyVersion},
		)...)
		wantErr(t, resps[0].Err(), ErrNoNode, "exists", "/a")
		if got := resps[1].(*CreateResponse); got.Err() != nil || got.Path != "/a" {
			t.Errorf("create: %+v", got)
		}
		if got := resps[2].(*GetResponse); got.Err() != nil || string(got.Data) != "one" || got.Stat.Version != 0 {
			t.Errorf("get: %+v", got)
		}
		if got := resps[3].(*SetResponse); got.Err() != nil || got.Stat.Version != 1 {
			t.Errorf("set: %+v", got)
		}
		wantErr(t, resps[4].Err(), ErrBadVersion, "set", "/a")
		wantErr(t, resps[5].Err(), ErrNodeExists, "create", "/a")
		if got := resps[6].(*CreateResponse); got.Err() != nil || got.Path != "/a/s-0000000000" {
			t.Errorf("create sequential: %+v", got)
		}
		if resps[7].Err() != nil {
			t.Error(resps[7].Err())
		}
		wantErr(t, resps[8].Err(), ErrEphemeralParent, "/a/e/f")
		wantErr(t, resps[9].Err(), ErrNotEmpty, "delete", "/a")
		got := resps[10].(*ChildrenResponse)
		slices.Sort(got.Names)
		if want := []string{"e", "s-0000000000"}; got.Err() != nil || !slices.Equal(got.Names, want) {
			t.Errorf("children: %+v, want %v", got, want)
		}
		wantErr(t, resps[11].Err(), ErrNoNode, "get", "/missing")
		if resps[12].Err() != nil {
			t.Error(resps[12].Err())
		}
		if got := resps[13].(*GetACLResponse); got.Err() != nil || !slices.Equal(got.ACL, OpenACL()) {
			t.Errorf("get acl: %+v", got)
		}
		if got := resps[14].(*SetACLResponse); got.Err() != nil || got.Stat.Aversion != 1 {
			t.Errorf("set acl: %+v", got)
		}
		wantErr(t, resps[15].Err(), ErrNoAuth, "set", "/a")
		if got := resps[16].(*GetResponse); got.Err() != nil || string(got.Data) != "two" {
			t.Errorf("get: %+v", got)
		}
		wantErr(t, resps[17].Err(), ErrNoAuth, "delete", "/a/e")
		settled(t, c)
	})
}

func TestDoWithoutRequests(t *testing.T) {
	c := local(t).connect(t)
	if got := c.Do(t.Context()); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// Concurrent calls of the library have no order; a batch does.
func TestBatchKeepsItsOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		ask(t, c, Create{Path: "/n"})
		for round := range 50 {
			var reqs []Request
			for i := range 8 {
				reqs = append(reqs, Set{Path: "/n", Version: int32(8*round + i)})
			}
			for i, r := range c.Do(t.Context(), reqs...) {
				if r.Err() != nil {
					t.Fatalf("round %d, request %d: %v", round, i, r.Err())
				}
			}
		}
	})
}

// A multi whose third operation fails.
func TestMultiSaysWhichOperationFailed(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		ask(t, c, Create{Path: "/n"}, Create{Path: "/m"})
		m := Multi{Ops: []Op{
			Create{Path: "/new"}, Check{Path: "/m"}, Set{Path: "/n", Version: 5}, Delete{Path: "/m"}, Set{Path: "/nowhere"},
		}}
		got := c.Do(t.Context(), m)[0].(*MultiResponse)
		wantErr(t, got.Err(), ErrBadVersion, "operation 3 of 5", "set /n")
		e, ok := errors.AsType[*MultiError](got.Err())
		if !ok || e.Index != 2 || got.Results != nil {
			t.Errorf("got %+v, results %v; want operation 2 and no results", e, got.Results)
		}
		wantErr(t, c.Do(t.Context(), Exists{Path: "/new"})[0].Err(), ErrNoNode)

		m.Ops[2], m.Ops[4] = Set{Path: "/n", Data: []byte("x")}, Create{Path: "/s-", Sequential: true}
		good := ask(t, c, m)[0].(*MultiResponse)
		if len(good.Results) != 5 || good.Results[0].Path != "/new" || good.Results[2].Stat.Version != 1 ||
			!strings.HasPrefix(good.Results[4].Path, "/s-0") {
			t.Errorf("results are %+v", good.Results)
		}
		if r := ask(t, c, Multi{})[0].(*MultiResponse); len(r.Results) != 0 {
			t.Errorf("an empty multi gave %v", r.Results)
		}
	})
}

// Requests around the send buffer's end and the server's limit, at which the
// library panics and the server cuts the connection.
func TestOversizeIsRefusedBeforeSending(t *testing.T) {
	onBoth(t, func(t *testing.T, st *stage) {
		c := st.connect(t)
		before := c.Session()
		ask(t, c, Create{Path: "/n"})
		at := func(frame int, f func(data []byte) Request) Request {
			empty := f([]byte{})
			return f(make([]byte, frame-empty.size()-roots(empty, c.servers.chroot)))
		}
		set := func(data []byte) Request { return Set{Path: "/n", Data: data, Version: AnyVersion} }
		multi := func(data []byte) Request {
			return Multi{Ops: []Op{Check{Path: "/n", Version: AnyVersion}, Set{Path: "/n", Data: data, Version: AnyVersion}}}
		}
		for _, limit := range []int{c.cfg.MaxRequest, c.cfg.MaxRequest + sendSlack, 1 << 20} {
			for d := -64; d <= 64; d += 8 {
				for name, f := range map[string]func([]byte) Request{"set": set, "multi": multi} {
					frame := limit + d
					other := Get{Path: "/n"}
					resps := c.Do(t.Context(), at(frame, f), other)
					if resps[1].Err() != nil {
						t.Fatalf("%s of %d bytes: another request died: %v", name, frame, resps[1].Err())
					}
					switch err := resps[0].Err(); {
					case frame > c.cfg.MaxRequest:
						wantErr(t, err, ErrTooLarge, name, fmt.Sprint(frame))
					case err != nil:
						t.Errorf("%s of %d bytes: %v", name, frame, err)
					}
				}
			}
		}
		if after := c.Session(); after != before {
			t.Errorf("session was %+v, is %+v", before, after)
		}
		settled(t, c)
	})
}

// The frame sizes that are checked are those that the library writes.
func TestFrameSizes(t *testing.T) {
	st := local(t)
	var tap tap
	c := st.connect(t, tap.into)
	for _, r := range []Request{
		Create{Path: "/n"}, Create{Path: "/o", Data: []byte("abc"), ACL: []ACL{{31, "digest", "a:b"}, {1, "world", "anyone"}}, Ephemeral: true},
		Set{Path: "/n", Data: []byte("abc")}, Get{Path: "/n"}, Exists{Path: "/n"}, Children{Path: "/"}, Sync{Path: "/"},
		GetACL{Path: "/n"}, SetACL{Path: "/n", Version: AnyVersion}, Delete{Path: "/o"},
		Multi{Ops: []Op{Create{Path: "/p", Data: []byte("abc")}, Check{Path: "/n", Version: 1}, Set{Path: "/n", Version: 1}, Delete{Path: "/p"}}},
	} {
		ask(t, c, r)
		if got := tap.last(); got != r.size() {
			t.Errorf("%s: %d bytes were written, size() is %d", r.op(), got, r.size())
		}
	}
}

func TestPathsAreChecked(t *testing.T) {
	c := local(t).connect(t)
	for _, r := range []Request{Get{}, Get{Path: "a"}, Multi{Ops: []Op{Check{Path: "/"}, Check{Path: ""}}}, Get{Path: "/a/"}, Get{Path: "/a//b"}} {
		err := c.Do(t.Context(), r)[0].Err()
		if err == nil || lost(err) || errors.Is(err, ErrNoNode) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	settled(t, c)
}

// Under -race: the library may encode a request after its Do has returned.
func TestCallersDataIsNotTouchedAfterDo(t *testing.T) {
	c := local(t).connect(t)
	ask(t, c, Create{Path: "/n"})
	data := make([]byte, 4096)
	for range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		err := c.Do(ctx, Set{Path: "/n", Data: data, Version: AnyVersion},
			Multi{Ops: []Op{Set{Path: "/n", Data: data, Version: AnyVersion}}})[1].Err()
		if err != nil {
			wantErr(t, err, context.Canceled, "multi")
		}
		for i := range data {
			data[i]++
		}
	}
	got, _ := get(t, c, "/n")
	for i := range got {
		if got[i] != got[0] {
			t.Fatalf("stored a mixture: %d and %d", got[0], got[i])
		}
	}
	settled(t, c)
}

func TestChroot(t *testing.T) {
	st := local(t)
	plain := st.connect(t)
	c := st.connect(t, func(cfg *Config) { cfg.Servers = []string{st.servers[0] + "/deep/down"} })
	resps := ask(t, c, Create{Path: "/a", Data: []byte("x")}, Create{Path: "/a/s-", Sequential: true}, Children{Path: "/"}, Exists{Path: "/"})
	if p := resps[1].(*CreateResponse).Path; p != "/a/s-0000000000" {
		t.Errorf("created %q", p)
	}
	if n := resps[2].(*ChildrenResponse).Names; !slices.Equal(n, []string{"a"}) {
		t.Errorf("children are %q", n)
	}
	if got, _ := get(t, plain, "/deep/down/a"); got != "x" {
		t.Errorf("stored %q", got)
	}
}
