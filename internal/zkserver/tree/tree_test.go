package tree

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// check walks the tree's invariants.
func (t *Tree) check() error {
	ephemerals := 0
	for path, n := range t.nodes {
		if !valid(path) {
			return fmt.Errorf("%q is no valid path", path)
		}
		if dir, _ := parent(path); path != "/" {
			up := t.nodes[dir]
			if up == nil {
				return fmt.Errorf("%s has no parent", path)
			}
			if _, ok := up.children[base(path)]; !ok {
				return fmt.Errorf("%s is not among its parent's children", path)
			}
		}
		for name := range n.children {
			if t.nodes[strings.TrimSuffix(path, "/")+"/"+name] == nil {
				return fmt.Errorf("%s has a child %s that isn't there", path, name)
			}
		}
		if n.owner != 0 {
			ephemerals++
			if _, ok := t.ephemerals[n.owner][path]; !ok {
				return fmt.Errorf("%s is not among the nodes of session %d", path, n.owner)
			}
			if len(n.children) > 0 {
				return fmt.Errorf("%s is ephemeral and has children", path)
			}
		}
		if max(n.czxid, n.mzxid, n.pzxid) > t.zxid {
			return fmt.Errorf("%s is from the future", path)
		}
	}
	for session, paths := range t.ephemerals {
		if len(paths) == 0 {
			return fmt.Errorf("session %d has an empty set of nodes", session)
		}
		ephemerals -= len(paths)
	}
	if ephemerals != 0 {
		return fmt.Errorf("%d ephemeral nodes too few are listed", ephemerals)
	}
	return nil
}

// A tape makes choices of bytes.
type tape []byte

func (t *tape) next(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

func (t *tape) op() Op {
	paths := []string{"/", "/a", "/b", "/a/a", "/a/b", "/a/a/a", "/b/a", "/a/s-", "/a/s-0000000002"}
	path := paths[t.next(len(paths))]
	version := int32(t.next(5)) - 1
	data := []byte("datadata"[:t.next(9)])
	perms := []int32{All, All, All, Read, All &^ Write, All &^ CreateChild, All &^ DeleteChild, Admin}
	acl := []ACL{{perms[t.next(len(perms))], ID{"world", "anyone"}}}
	switch t.next(12) {
	case 0, 1, 2, 3, 4:
		if path == "/" {
			path = "/c"
		}
		return Create{Path: path, Data: data, ACL: acl[:min(1, t.next(20))], Mode: Mode(t.next(4))}
	case 5, 6, 7:
		return Delete{Path: path, Version: version}
	case 8, 9:
		return SetData{Path: path, Data: data, Version: version}
	case 10:
		if path == "/" {
			path = "/a" // everybody needs the root
		}
		return SetACL{Path: path, ACL: acl, Version: version}
	}
	return Check{Path: path, Version: version}
}

func texts(events []Event, zxid int64) (out []string) {
	for _, ev := range events {
		if ev.Zxid != zxid {
			out = append(out, "wrong zxid")
		}
		out = append(out, fmt.Sprint(int32(ev.Type), " ", ev.Path))
	}
	return out
}

// FuzzTree runs random operations on a Tree and on the naive one.
func FuzzTree(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	for i := range 30 {
		b := make([]byte, 400)
		for j := range b {
			b[j] = byte(i*j*j + j*31 + j>>3*i)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		tr, m := New(), newNaive()
		tr.nodes["/"].children = nil // the naive one knows nothing of /zookeeper
		for _, path := range special[1:] {
			delete(tr.nodes, path)
		}
		tr.nodes["/"].creates = 0
		in := tape(input)
		for now := int64(1); len(in) > 0; now++ {
			session := int64(1 + in.next(3))
			c := Caller{Session: session}
			m.zxid++
			var what any
			switch in.next(8) {
			case 0:
				what = fmt.Sprintf("end of session %d", session)
				got, want := texts(tr.CloseSession(session, now), m.zxid), m.end(session)
				if !slices.Equal(got, want) {
					t.Fatalf("%v: events %q, want %q", what, got, want)
				}
			case 1, 2:
				ops := make([]Op, in.next(6))
				for i := range ops {
					ops[i] = in.op()
				}
				what = ops
				res, codes, ev := tr.Multi(c, now, ops)
				wantRes, wantCodes, wantEv := m.multi(session, now, ops)
				if !slices.Equal(res, wantRes) || !slices.Equal(codes, wantCodes) || !slices.Equal(texts(ev, m.zxid), wantEv) {
					t.Fatalf("multi %+v:\n got %v %v %q\nwant %v %v %q", ops, res, codes, texts(ev, m.zxid), wantRes, wantCodes, wantEv)
				}
			default:
				op := in.op()
				what = op
				res, ev, code := tr.Do(c, now, op)
				wantRes, wantEv, wantCode := m.do(session, now, op)
				if res != wantRes || code != wantCode || !slices.Equal(texts(ev, m.zxid), wantEv) {
					t.Fatalf("%T%+v:\n got %v %v %q\nwant %v %v %q", op, op, res, code, texts(ev, m.zxid), wantRes, wantCode, wantEv)
				}
			}
			compare(t, what, tr, m)
		}
	})
}

// compare ends the test if the trees hold different nodes.
func compare(t *testing.T, what any, tr *Tree, m *naive) {
	t.Helper()
	if err := tr.check(); err != nil {
		t.Fatalf("after %+v: %v", what, err)
	}
	if got, want := slices.Sorted(maps.Keys(tr.nodes)), slices.Sorted(maps.Keys(m.nodes)); !slices.Equal(got, want) {
		t.Fatalf("after %+v: nodes %q, want %q", what, got, want)
	}
	for path, n := range m.nodes {
		if got, want := tr.nodes[path].stat(), m.stat(path); got != want {
			t.Fatalf("after %+v: %s is %+v, want %+v", what, path, got, want)
		}
		data, _, code := tr.Get(Caller{}, path)
		if readable := n.perms&Read != 0; readable != (code == OK) || readable && string(data) != n.data {
			t.Fatalf("after %+v: %s has %q, %v, want %q", what, path, data, code, n.data)
		}
		if names, _, code := tr.Children(Caller{}, path); code == OK && !reflect.DeepEqual(names, m.kids(path)) {
			t.Fatalf("after %+v: %s has children %q, want %q", what, path, names, m.kids(path))
		}
	}
	if tr.Zxid() != m.zxid || tr.Len() != len(m.nodes) {
		t.Fatalf("after %+v: zxid %d, %d nodes, want %d, %d", what, tr.Zxid(), tr.Len(), m.zxid, len(m.nodes))
	}
}

// TestNew: a fresh tree is that of a fresh ZooKeeper.
func TestNew(t *testing.T) {
	tr := New()
	if err := tr.check(); err != nil {
		t.Fatal(err)
	}
	stat, code := tr.Exists(Caller{}, "/")
	if want := (Stat{Cversion: -1, NumChildren: 1}); code != OK || stat != want {
		t.Errorf("/ is %+v, %v, want %+v", stat, code, want)
	}
	names, stat, _ := tr.Children(Caller{}, "/zookeeper")
	if want := (Stat{Cversion: -2, NumChildren: 2}); !slices.Equal(names, []string{"config", "quota"}) || stat != want {
		t.Errorf("/zookeeper has %q, %+v, want %+v", names, stat, want)
	}
}
