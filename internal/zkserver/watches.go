package zkserver

import "github.com/kspout/kspout/internal/zkserver/tree"

// A watchKind is what a watch waits for.
type watchKind int

const (
	watchData  watchKind = iota // also the existence of the node
	watchChild                  // the node's children
	watchKinds
)

// watches are the armed watches of every connection. A watch fires once; the
// same one armed twice is one. C is a connection.
type watches[C comparable] struct {
	byPath [watchKinds]map[string]map[C]struct{}
	byConn map[C]map[watch]struct{} // the same, for drop
}

type watch struct {
	kind watchKind
	path string
}

func newWatches[C comparable]() *watches[C] {
	w := &watches[C]{byConn: map[C]map[watch]struct{}{}}
	for k := range w.byPath {
		w.byPath[k] = map[string]map[C]struct{}{}
	}
	return w
}

// add arms a watch of c.
func (w *watches[C]) add(kind watchKind, path string, c C) {
	if w.byPath[kind][path] == nil {
		w.byPath[kind][path] = map[C]struct{}{}
	}
	w.byPath[kind][path][c] = struct{}{}
	if w.byConn[c] == nil {
		w.byConn[c] = map[watch]struct{}{}
	}
	w.byConn[c][watch{kind, path}] = struct{}{}
}

func (w *watches[C]) remove(kind watchKind, path string, c C) {
	delete(w.byPath[kind][path], c)
	if len(w.byPath[kind][path]) == 0 {
		delete(w.byPath[kind], path)
	}
	delete(w.byConn[c], watch{kind, path})
	if len(w.byConn[c]) == 0 {
		delete(w.byConn, c)
	}
}

// drop disarms every watch of c.
func (w *watches[C]) drop(c C) {
	for x := range w.byConn[c] {
		w.remove(x.kind, x.path, c)
	}
}

// fire disarms the watches that ev concerns and tells each connection once,
// in no order.
func (w *watches[C]) fire(ev tree.Event, tell func(C)) {
	told := map[C]struct{}{}
	for _, kind := range kindsOf(ev.Type) {
		for c := range w.byPath[kind][ev.Path] {
			w.remove(kind, ev.Path, c)
			if _, again := told[c]; !again {
				told[c] = struct{}{}
				tell(c)
			}
		}
	}
}

// kindsOf returns which watches see events of this type.
func kindsOf(typ tree.EventType) []watchKind {
	switch typ {
	case tree.ChildrenChanged:
		return []watchKind{watchChild}
	case tree.Deleted:
		return []watchKind{watchData, watchChild}
	}
	return []watchKind{watchData}
}
