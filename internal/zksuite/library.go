package zksuite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// Tests through github.com/go-zookeeper/zk, the library that kspout uses.

// quiet discards the library's log.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// connectLibrary returns a connection that has a session. It is closed with
// the test.
func connectLibrary(t *testing.T, srv Server, events zk.EventCallback) *zk.Conn {
	t.Helper()
	session := make(chan struct{}, 1)
	conn, _, err := zk.Connect([]string{srv.Addr()}, 8*time.Second, zk.WithLogger(quiet{}),
		zk.WithEventCallback(func(ev zk.Event) {
			if ev.State == zk.StateHasSession {
				select {
				case session <- struct{}{}:
				default:
				}
			}
			if events != nil {
				events(ev)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	select {
	case <-session:
	case <-time.After(patience):
		t.Fatal("no session")
	}
	return conn
}

func await(t *testing.T, ch <-chan zk.Event) zk.Event {
	t.Helper()
	select {
	case ev := <-ch:
		return ev
	case <-time.After(patience):
		t.Fatal("no event")
		return zk.Event{}
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

var open4all = zk.WorldACL(zk.PermAll)

// testLibraryOps: every operation of the library does what it should.
func testLibraryOps(t *testing.T, srv Server) {
	c := connectLibrary(t, srv, nil)
	create := func(path string, flags int32) string {
		t.Helper()
		got, err := c.Create(path, []byte("data"), flags, open4all)
		if err != nil {
			t.Fatalf("create %s: %v", path, err)
		}
		return got
	}
	create("/lib", 0)
	if got := create("/lib/s-", zk.FlagSequence); got != "/lib/s-0000000000" {
		t.Errorf("sequential: %s", got)
	}
	create("/lib/e", zk.FlagEphemeral)
	data, stat, err := c.Get("/lib/e")
	if err != nil || string(data) != "data" || stat.EphemeralOwner != c.SessionID() {
		t.Errorf("get: %q, %+v, %v", data, stat, err)
	}
	kids, stat, err := c.Children("/lib")
	if slices.Sort(kids); err != nil || !slices.Equal(kids, []string{"e", "s-0000000000"}) || stat.NumChildren != 2 {
		t.Errorf("children: %q, %+v, %v", kids, stat, err)
	}
	if stat, err = c.Set("/lib", []byte("2"), 0); err != nil || stat.Version != 1 {
		t.Errorf("set: %+v, %v", stat, err)
	}
	_, err = c.Set("/lib", nil, 0)
	wantErr(t, "set of an old version", err, zk.ErrBadVersion)
	wantErr(t, "delete with children", c.Delete("/lib", -1), zk.ErrNotEmpty)
	_, err = c.Create("/lib", nil, 0, open4all)
	wantErr(t, "create of what exists", err, zk.ErrNodeExists)
	_, err = c.Create("/lib/e/kid", nil, 0, open4all)
	wantErr(t, "child of an ephemeral", err, zk.ErrNoChildrenForEphemerals)
	if there, _, err := c.Exists("/lib/none"); there || err != nil {
		t.Errorf("exists: %v, %v", there, err)
	}
	if _, err := c.Sync("/lib"); err != nil {
		t.Errorf("sync: %v", err)
	}
	protected, err := c.CreateProtectedEphemeralSequential("/lib/p-", nil, open4all)
	if err != nil {
		t.Errorf("protected: %v", err)
	}
	for _, path := range []string{protected, "/lib/e", "/lib/s-0000000000", "/lib"} {
		if err := c.Delete(path, -1); err != nil {
			t.Errorf("delete %s: %v", path, err)
		}
	}
}

// testLibraryMulti: as the library tells of multis.
func testLibraryMulti(t *testing.T, srv Server) {
	c := connectLibrary(t, srv, nil)
	res, err := c.Multi(
		&zk.CreateRequest{Path: "/libmulti", Acl: open4all},
		&zk.SetDataRequest{Path: "/libmulti", Data: []byte("1"), Version: 0},
		&zk.CheckVersionRequest{Path: "/libmulti", Version: 1})
	if err != nil || len(res) != 3 || res[0].String != "/libmulti" || res[1].Stat.Version != 1 {
		t.Fatalf("multi: %+v, %v", res, err)
	}
	res, err = c.Multi(
		&zk.SetDataRequest{Path: "/libmulti", Data: []byte("2"), Version: 1},
		&zk.CheckVersionRequest{Path: "/libmulti", Version: 1},
		&zk.DeleteRequest{Path: "/libmulti", Version: -1})
	wantErr(t, "failed multi", err, zk.ErrBadVersion)
	if len(res) != 3 || res[0].Error != nil || !errors.Is(res[1].Error, zk.ErrBadVersion) || res[2].Error == nil {
		t.Errorf("failed multi: %+v", res)
	}
	if data, _, _ := c.Get("/libmulti"); string(data) != "1" {
		t.Errorf("a failed multi has set %q", data)
	}
	many := make([]any, 500)
	for i := range many {
		many[i] = &zk.CreateRequest{Path: fmt.Sprintf("/libmulti/%d", i), Data: make([]byte, 100), Acl: open4all}
	}
	if _, err := c.Multi(many...); err != nil {
		t.Errorf("multi of %d: %v", len(many), err)
	}
	if kids, _, _ := c.Children("/libmulti"); len(kids) != len(many) {
		t.Errorf("%d children, want %d", len(kids), len(many))
	}
}

// testLibraryWatches: watches of every kind.
func testLibraryWatches(t *testing.T, srv Server) {
	a, b := connectLibrary(t, srv, nil), connectLibrary(t, srv, nil)
	_, _, created, err := a.ExistsW("/libwatch")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create("/libwatch", nil, 0, open4all); err != nil {
		t.Fatal(err)
	}
	if ev := await(t, created); ev.Type != zk.EventNodeCreated {
		t.Errorf("%+v", ev)
	}
	_, _, changed, _ := a.GetW("/libwatch")
	_, _, kids, _ := a.ChildrenW("/libwatch")
	b.Set("/libwatch", []byte("1"), -1)
	b.Create("/libwatch/kid", nil, 0, open4all)
	if ev := await(t, changed); ev.Type != zk.EventNodeDataChanged {
		t.Errorf("%+v", ev)
	}
	if ev := await(t, kids); ev.Type != zk.EventNodeChildrenChanged {
		t.Errorf("%+v", ev)
	}
	_, _, gone, _ := a.ExistsW("/libwatch/kid")
	b.Delete("/libwatch/kid", -1)
	if ev := await(t, gone); ev.Type != zk.EventNodeDeleted {
		t.Errorf("%+v", ev)
	}
}

// testLibraryAuth: digest ACLs.
func testLibraryAuth(t *testing.T, srv Server) {
	a, b := connectLibrary(t, srv, nil), connectLibrary(t, srv, nil)
	if err := a.AddAuth("digest", []byte("ann:secret")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Create("/libauth", nil, 0, zk.DigestACL(zk.PermAll, "ann", "secret")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Get("/libauth"); err != nil {
		t.Errorf("get: %v", err)
	}
	_, _, err := b.Get("/libauth")
	wantErr(t, "get without auth", err, zk.ErrNoAuth)
	_, err = b.Create("/libauth/kid", nil, 0, open4all)
	wantErr(t, "create without auth", err, zk.ErrNoAuth)
	acl, _, err := a.GetACL("/libauth")
	if err != nil || !slices.Equal(acl, zk.DigestACL(zk.PermAll, "ann", "secret")) {
		t.Errorf("getACL: %v, %v", acl, err)
	}
	if stat, err := a.SetACL("/libauth", open4all, 0); err != nil || stat.Aversion != 1 {
		t.Errorf("setACL: %+v, %v", stat, err)
	}
	if _, _, err = b.Get("/libauth"); err != nil {
		t.Errorf("get: %v", err)
	}
}

// testLibraryLock: the library's lock recipe excludes.
func testLibraryLock(t *testing.T, srv Server) {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex // guards holders and rounds
		holders int
		rounds  int
	)
	for range 3 {
		c := connectLibrary(t, srv, nil)
		wg.Go(func() {
			for range 5 {
				lock := zk.NewLock(c, "/liblock", open4all)
				if err := lock.Lock(); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				holders++
				if rounds++; holders != 1 {
					t.Errorf("%d holders", holders)
				}
				mu.Unlock()
				c.Sync("/liblock")
				mu.Lock()
				holders--
				mu.Unlock()
				if err := lock.Unlock(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if rounds != 15 {
		t.Errorf("%d rounds, want 15", rounds)
	}
}

// retry repeats f until it succeeds, while patience lasts.
func retry(f func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if err := f(); err == nil || time.Now().After(end) {
			return err
		}
	}
}
