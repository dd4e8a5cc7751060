package zksuite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/internal/zkserver/tree"
)

// verbs are the operations of transcripts. raw is any: raw OP [HEX].
var verbs = map[string]int32{
	"create": 1, "delete": 2, "exists": 3, "get": 4, "set": 5, "getacl": 6, "setacl": 7,
	"children": 8, "sync": 9, "ping": 11, "children2": 12, "check": 13, "multi": 14, "create2": 15,
	"auth": 100, "setwatches": 101, "close": -11, "raw": 0,
}

// args are the arguments of a verb: those without a key in order, and the
// others by key.
type args struct {
	plain []string
	keyed map[string]string
}

func split(words []string) args {
	a := args{keyed: map[string]string{}}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			a.keyed[key] = value
		} else {
			a.plain = append(a.plain, w)
		}
	}
	return a
}

// path reads the first plain argument: a path with $ for the transcript's
// node, in quotes if it holds what a bare word can't.
func (s *stage) pathArg(a args) string {
	if len(a.plain) == 0 {
		return ""
	}
	return s.expand(a.plain[0])
}

func (s *stage) expand(p string) string {
	if unquoted, err := strconv.Unquote(p); err == nil {
		p = unquoted
	}
	if rest, ok := strings.CutPrefix(p, "$"); ok {
		return s.root + rest
	}
	return p
}

// version is v=N, by default -1.
func (a args) version() int32 {
	n := int32(-1)
	fmt.Sscan(a.keyed["v"], &n)
	return n
}

// data is data=TEXT, by default empty; data=null is null.
func (a args) data() []byte {
	if a.keyed["data"] == "null" {
		return nil
	}
	return []byte(a.keyed["data"])
}

// mode is flags=N, by default 0, or the words ephemeral and sequential.
func (a args) mode() int32 {
	var n int32
	fmt.Sscan(a.keyed["flags"], &n)
	for _, w := range a.plain {
		switch w {
		case "ephemeral":
			n |= 1
		case "sequential":
			n |= 2
		}
	}
	return n
}

// watch is the word watch.
func (a args) watch() bool {
	return slices.Contains(a.plain, "watch")
}

// acl is acl=PERMS:SCHEME:ID,... or acl=none, by default everything for
// anyone. digest(USER:PASSWORD) as an ID is made into the hash.
func (a args) acl(e *jute.Encoder) {
	text, ok := a.keyed["acl"]
	if !ok {
		text = "31:world:anyone"
	}
	var list []string
	if text != "none" {
		list = strings.Split(text, ",")
	}
	e.Int32(int32(len(list)))
	for _, entry := range list {
		perms, id, _ := strings.Cut(entry, ":")
		scheme, id, _ := strings.Cut(id, ":")
		if secret, ok := strings.CutPrefix(id, "digest("); ok {
			id = tree.DigestID(strings.TrimSuffix(secret, ")")).ID
		}
		n, _ := strconv.ParseInt(perms, 10, 32)
		e.Int32(int32(n))
		e.String(scheme)
		e.String(id)
	}
}

// encode returns what writes the body of an operation.
func (s *stage) encode(op int32, words []string) (func(*jute.Encoder), error) {
	a := split(words)
	path := s.pathArg(a)
	switch op {
	case 1, 15:
		return func(e *jute.Encoder) {
			e.String(path)
			e.Buffer(a.data())
			a.acl(e)
			e.Int32(a.mode())
		}, nil
	case 2, 13:
		return func(e *jute.Encoder) { e.String(path); e.Int32(a.version()) }, nil
	case 3, 4, 8, 12:
		return func(e *jute.Encoder) { e.String(path); e.Bool(a.watch()) }, nil
	case 5:
		return func(e *jute.Encoder) { e.String(path); e.Buffer(a.data()); e.Int32(a.version()) }, nil
	case 6, 9:
		return func(e *jute.Encoder) { e.String(path) }, nil
	case 7:
		return func(e *jute.Encoder) { e.String(path); a.acl(e); e.Int32(a.version()) }, nil
	case 14:
		return s.encodeMulti(words)
	case 100:
		return func(e *jute.Encoder) { e.Int32(0); e.String(a.plain[0]); e.Buffer([]byte(a.plain[1])) }, nil
	case 101:
		return func(e *jute.Encoder) {
			var since int64
			fmt.Sscan(a.keyed["since"], &since)
			e.Int64(s.base + since)
			for _, kind := range []string{"data", "exists", "children"} {
				var paths []string
				if a.keyed[kind] != "" {
					for p := range strings.SplitSeq(a.keyed[kind], ",") {
						paths = append(paths, s.expand(p))
					}
				}
				e.Strings(paths)
			}
		}, nil
	case 0:
		return func(e *jute.Encoder) {
			for _, w := range words[1:] {
				n, _ := strconv.ParseInt(w, 0, 32)
				e.Int32(int32(n))
			}
		}, nil
	}
	return nil, nil
}

// encodeMulti reads operations separated by semicolons.
func (s *stage) encodeMulti(words []string) (func(*jute.Encoder), error) {
	type part struct {
		op   int32
		body func(*jute.Encoder)
	}
	var parts []part
	for text := range strings.SplitSeq(strings.Join(words, " "), " ; ") {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		op, ok := verbs[words[0]]
		if !ok {
			return nil, fmt.Errorf("unknown verb %q", words[0])
		}
		body, err := s.encode(op, words[1:])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{op, body})
	}
	return func(e *jute.Encoder) {
		for _, p := range parts {
			e.Int32(p.op)
			e.Bool(false)
			e.Int32(-1)
			if p.body != nil {
				p.body(e)
			}
		}
		e.Int32(-1)
		e.Bool(true)
		e.Int32(-1)
	}, nil
}

// rawOp is the number of the operation raw.
func rawOp(words []string) int32 {
	n, _ := strconv.ParseInt(words[0], 0, 32)
	return int32(n)
}
