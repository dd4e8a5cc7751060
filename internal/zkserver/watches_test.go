package zkserver

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kspout/kspout/internal/zkserver/tree"
)

// TestWatches compares the table with a list of (kind, path, connection).
func TestWatches(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	type armed struct {
		kind watchKind
		path string
		conn int
	}
	var (
		w    = newWatches[int]()
		list []armed
	)
	paths := []string{"/", "/a", "/a/b"}
	for step := range 20000 {
		x := armed{watchKind(rng.IntN(2)), paths[rng.IntN(3)], rng.IntN(4)}
		switch rng.IntN(6) {
		case 0:
			w.drop(x.conn)
			list = slices.DeleteFunc(list, func(y armed) bool { return y.conn == x.conn })
		case 1, 2:
			typ := tree.EventType(1 + rng.IntN(4))
			var want []int
			list = slices.DeleteFunc(list, func(y armed) bool {
				sees := y.path == x.path && (typ == tree.Deleted || (y.kind == watchChild) == (typ == tree.ChildrenChanged))
				if sees && !slices.Contains(want, y.conn) {
					want = append(want, y.conn)
				}
				return sees
			})
			var got []int
			w.fire(tree.Event{Type: typ, Path: x.path}, func(c int) { got = append(got, c) })
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %d of %s tells %v, want %v", seed, step, typ, x.path, got, want)
			}
		default:
			w.add(x.kind, x.path, x.conn)
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
		n := 0
		for _, of := range w.byConn {
			n += len(of)
		}
		if n != len(list) || len(list) == 0 && len(w.byConn)+len(w.byPath[0])+len(w.byPath[1]) > 0 {
			t.Fatalf("seed %d, step %d: %d armed, want %d", seed, step, n, len(list))
		}
	}
}
