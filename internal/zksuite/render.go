package zksuite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// zxid shows a zxid relative to the transcript's beginning.
func (s *stage) zxid(z int64) string {
	if z <= 0 {
		return strconv.FormatInt(z, 10)
	}
	return fmt.Sprintf("%+d", z-s.base)
}

// path shows a path with $ for the transcript's node.
func (s *stage) path(p string) string {
	if rest, ok := strings.CutPrefix(p, s.root); ok && (rest == "" || rest[0] == '/') {
		return "$" + rest
	}
	return p
}

// owner shows a session id as the name of the client that opened it.
func (s *stage) owner(id int64) string {
	if name, ok := s.owners[id]; ok {
		return name
	}
	return strconv.FormatInt(id, 10)
}

func (s *stage) stat(d *jute.Decoder) string {
	czxid, mzxid := d.Int64(), d.Int64()
	d.Int64() // ctime
	d.Int64() // mtime
	version, cversion, aversion := d.Int32(), d.Int32(), d.Int32()
	owner, length, kids, pzxid := d.Int64(), d.Int32(), d.Int32(), d.Int64()
	return fmt.Sprintf("c%s m%s p%s v=%d/%d/%d owner=%s len=%d kids=%d",
		s.zxid(czxid), s.zxid(mzxid), s.zxid(pzxid), version, cversion, aversion, s.owner(owner), length, kids)
}

func data(b []byte) string {
	if b == nil {
		return "null"
	}
	return strconv.Quote(string(b))
}

func names(d *jute.Decoder) string {
	return fmt.Sprintf("%q", slices.Sorted(slices.Values(d.Strings())))
}

func acls(d *jute.Decoder) string {
	var out []string
	for range d.Vector(12) {
		out = append(out, fmt.Sprintf("%d:%s:%s", d.Int32(), d.String(), d.String()))
	}
	slices.Sort(out) // those that stand for auth come in no order
	return strings.Join(out, ",")
}

// event shows a frame that tells of a watch.
func (s *stage) event(f frame) string {
	typ, state := f.body.Int32(), f.body.Int32()
	name, ok := map[int32]string{1: "created", 2: "deleted", 3: "changed", 4: "children"}[typ]
	if !ok {
		name = fmt.Sprintf("type %d", typ)
	}
	return fmt.Sprintf("event %s %s state=%d %s%s", name, s.path(f.body.String()), state, s.zxid(f.zxid), s.rest(f.body))
}

// reply shows the answer to an operation.
func (s *stage) reply(op int32, f frame) string {
	if f.code != 0 {
		return fmt.Sprintf("error %d %s%s", f.code, s.zxid(f.zxid), s.rest(f.body))
	}
	out := "ok " + s.zxid(f.zxid)
	if body := s.body(op, f.body); body != "" {
		out += " " + body
	}
	return out + s.rest(f.body)
}

func (s *stage) body(op int32, d *jute.Decoder) string {
	switch op {
	case 1, 9: // create, sync
		return s.path(d.String())
	case 15: // create2
		return s.path(d.String()) + " " + s.stat(d)
	case 3, 5, 7: // exists, setData, setACL
		return s.stat(d)
	case 4: // getData
		return data(d.Buffer()) + " " + s.stat(d)
	case 6: // getACL
		return acls(d) + " " + s.stat(d)
	case 8: // getChildren
		return names(d)
	case 12: // getChildren2
		return names(d) + " " + s.stat(d)
	case 14: // multi
		return s.multi(d)
	}
	return ""
}

func (s *stage) multi(d *jute.Decoder) string {
	var out []string
	for d.Err() == nil {
		op, done, code := d.Int32(), d.Bool(), d.Int32()
		if done {
			if op != -1 || code != -1 {
				out = append(out, fmt.Sprintf("end %d %d", op, code))
			}
			break
		}
		text := fmt.Sprintf("%d", op)
		if op == -1 {
			text = fmt.Sprintf("error %d/%d", code, d.Int32())
		} else {
			if code != 0 {
				text += fmt.Sprintf("/%d", code)
			}
			if body := s.body(op, d); body != "" {
				text += " " + body
			}
		}
		out = append(out, text)
	}
	return "[" + strings.Join(out, "; ") + "]"
}

// rest tells of bytes too few or too many.
func (s *stage) rest(d *jute.Decoder) string {
	if d.Err() != nil {
		return " TOO SHORT"
	}
	if n := len(d.Rest()); n > 0 {
		return fmt.Sprintf(" and %d bytes", n)
	}
	return ""
}
