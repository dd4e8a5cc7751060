package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A naive tree: a list of nodes by path; whatever can be counted is counted,
// and a transaction works on a copy of everything.
type naive struct {
	nodes map[string]naiveNode
	zxid  int64
}

type naiveNode struct {
	data       string
	perms      int32 // of anyone
	stat       Stat  // without Cversion, DataLength and NumChildren
	everBorn   int32 // children
	everBuried int32
}

func newNaive() *naive {
	m := &naive{nodes: map[string]naiveNode{}}
	m.nodes["/"] = naiveNode{perms: All, everBorn: 0}
	return m
}

func (m *naive) up(path string) string {
	dir := path[:strings.LastIndex(path, "/")]
	if dir == "" {
		return "/"
	}
	return dir
}

func (m *naive) kids(path string) (names []string) {
	for p := range m.nodes {
		if p != "/" && m.up(p) == path {
			names = append(names, p[strings.LastIndex(p, "/")+1:])
		}
	}
	slices.Sort(names)
	return names
}

func (m *naive) stat(path string) Stat {
	n := m.nodes[path]
	s := n.stat
	s.DataLength = int32(len(n.data))
	s.NumChildren = int32(len(m.kids(path)))
	s.Cversion = n.everBorn + n.everBuried
	return s
}

// do applies op to m, or says why not; the valid paths that the fuzz target
// uses are the only ones it understands.
func (m *naive) do(session, now int64, op Op) (res Result, events []string, code Code) {
	switch op := op.(type) {
	case Create:
		dir := m.up(op.Path)
		up, ok := m.nodes[dir]
		path := op.Path
		if op.Mode&Sequential != 0 {
			path = fmt.Sprintf("%s%010d", path, up.everBorn)
		}
		_, there := m.nodes[path]
		switch {
		case len(op.ACL) == 0:
			return res, nil, InvalidACL
		case !ok:
			return res, nil, NoNode
		case up.perms&CreateChild == 0:
			return res, nil, NoAuth
		case there:
			return res, nil, NodeExists
		case up.stat.EphemeralOwner != 0:
			return res, nil, NoChildrenForEphemerals
		}
		n := naiveNode{data: string(op.Data), perms: op.ACL[0].Perms}
		n.stat = Stat{Czxid: m.zxid, Mzxid: m.zxid, Pzxid: m.zxid, Ctime: now, Mtime: now}
		if op.Mode&Ephemeral != 0 {
			n.stat.EphemeralOwner = session
		}
		up.everBorn++
		up.stat.Pzxid = m.zxid
		m.nodes[path], m.nodes[dir] = n, up
		return Result{path, m.stat(path)}, []string{"1 " + path, "4 " + dir}, OK
	case Delete:
		dir := m.up(op.Path)
		up, ok := m.nodes[dir]
		n, there := m.nodes[op.Path]
		switch {
		case op.Path == "/":
			return res, nil, BadArguments
		case !ok:
			return res, nil, NoNode
		case up.perms&DeleteChild == 0:
			return res, nil, NoAuth
		case !there:
			return res, nil, NoNode
		case op.Version != -1 && op.Version != n.stat.Version:
			return res, nil, BadVersion
		case len(m.kids(op.Path)) > 0:
			return res, nil, NotEmpty
		}
		return res, m.bury(op.Path), OK
	case SetData:
		n, ok := m.nodes[op.Path]
		switch {
		case !ok:
			return res, nil, NoNode
		case n.perms&Write == 0:
			return res, nil, NoAuth
		case op.Version != -1 && op.Version != n.stat.Version:
			return res, nil, BadVersion
		}
		n.data = string(op.Data)
		n.stat.Version++
		n.stat.Mzxid, n.stat.Mtime = m.zxid, now
		m.nodes[op.Path] = n
		return Result{Stat: m.stat(op.Path)}, []string{"3 " + op.Path}, OK
	case SetACL:
		n, ok := m.nodes[op.Path]
		switch {
		case len(op.ACL) == 0:
			return res, nil, InvalidACL
		case !ok:
			return res, nil, NoNode
		case n.perms&Admin == 0:
			return res, nil, NoAuth
		case op.Version != -1 && op.Version != n.stat.Aversion:
			return res, nil, BadVersion
		}
		n.perms = op.ACL[0].Perms
		n.stat.Aversion++
		m.nodes[op.Path] = n
		return Result{Stat: m.stat(op.Path)}, nil, OK
	case Check:
		n, ok := m.nodes[op.Path]
		switch {
		case !ok:
			return res, nil, NoNode
		case n.perms&Read == 0:
			return res, nil, NoAuth
		case op.Version != -1 && op.Version != n.stat.Version:
			return res, nil, BadVersion
		}
		return res, nil, OK
	}
	panic("naive: unknown operation")
}

func (m *naive) bury(path string) []string {
	dir := m.up(path)
	delete(m.nodes, path)
	up := m.nodes[dir]
	up.everBuried++
	up.stat.Pzxid = m.zxid
	m.nodes[dir] = up
	return []string{"2 " + path, "4 " + dir}
}

func (m *naive) multi(session, now int64, ops []Op) (results []Result, codes []Code, events []string) {
	work := &naive{maps.Clone(m.nodes), m.zxid}
	for i, op := range ops {
		res, ev, code := work.do(session, now, op)
		if code != OK {
			codes = make([]Code, len(ops))
			for j := range codes {
				codes[j] = RuntimeInconsistency
				if j < i {
					codes[j] = OK
				}
			}
			codes[i] = code
			return make([]Result, len(ops)), codes, nil
		}
		results, codes, events = append(results, res), append(codes, OK), append(events, ev...)
	}
	m.nodes = work.nodes
	return results, codes, events
}

func (m *naive) end(session int64) (events []string) {
	for _, path := range slices.Sorted(maps.Keys(m.nodes)) {
		if m.nodes[path].stat.EphemeralOwner == session {
			events = append(events, m.bury(path)...)
		}
	}
	return events
}
