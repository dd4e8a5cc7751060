package zkserver

import (
	"errors"

	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/internal/zkserver/tree"
)

// errUnknownOp is what decodeRequest says of an operation that the server
// does not know.
var errUnknownOp = errors.New("zkserver: unknown operation")

// A request is one decoded frame of a connected client.
type request struct {
	xid   int32
	op    Op
	paths []string // that it is about; of all its operations, for a multi
	body  any      // by op; nil for ping and closeSession
}

// The bodies of requests that are no single write of package tree. A multi's
// is a multi.
type (
	readBody struct { // exists, getData, getChildren, getChildren2, getACL, sync
		path  string
		watch bool
	}
	authBody struct {
		scheme string
		auth   []byte
	}
	setWatchesBody struct {
		since                  int64
		data, exists, children []string
	}
	multi struct {
		types []Op
		ops   []tree.Op
	}
)

// A connectRequest is the first frame of a connection.
type connectRequest struct {
	lastZxid int64
	timeout  int32 // ms
	session  int64 // 0 for a new one
	passwd   []byte
	readOnly bool // the client sent, and wants back, the read-only flag
}

func decodeConnect(frame []byte) (connectRequest, error) {
	d := jute.NewDecoder(frame)
	d.Int32() // protocol version
	r := connectRequest{lastZxid: d.Int64(), timeout: d.Int32(), session: d.Int64(), passwd: d.Buffer()}
	if len(d.Rest()) > 0 {
		d.Bool()
		r.readOnly = true
	}
	return r, d.Err()
}

// decodeRequest reads a frame. On error, what could be read of the header is
// set. Bytes after the body are ignored, as ZooKeeper does.
func decodeRequest(frame []byte) (request, error) {
	d := jute.NewDecoder(frame)
	r := request{xid: d.Int32(), op: Op(d.Int32())}
	if d.Err() != nil {
		return r, d.Err()
	}
	switch r.op {
	case OpPing, OpCloseSession:
	case OpGetACL, OpSync:
		r.body = readBody{path: d.String()}
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		r.body = readBody{path: d.String(), watch: d.Bool()}
	case OpAuth:
		d.Int32() // type, unused
		r.body = authBody{scheme: d.String(), auth: d.Buffer()}
	case OpSetWatches:
		r.body = setWatchesBody{since: d.Int64(), data: d.Strings(), exists: d.Strings(), children: d.Strings()}
	case OpMulti:
		r.body, r.paths = decodeMulti(d)
	case OpSetACL:
		r.body = tree.SetACL{Path: d.String(), ACL: decodeACL(d), Version: d.Int32()}
	case OpCreate, OpCreate2, OpDelete, OpSetData:
		r.body, _ = decodeWrite(d, r.op)
	default: // also OpCheck, which is only known as a part of a multi
		return r, errUnknownOp
	}
	switch body := r.body.(type) {
	case readBody:
		r.paths = []string{body.path}
	case tree.Op:
		r.paths = []string{pathOf(body)}
	}
	return r, d.Err()
}

// decodeWrite reads the body of an operation that a multi may hold; ok is
// false if op is none.
func decodeWrite(d *jute.Decoder, op Op) (w tree.Op, ok bool) {
	switch op {
	case OpCreate, OpCreate2:
		return tree.Create{Path: d.String(), Data: d.Buffer(), ACL: decodeACL(d), Mode: tree.Mode(d.Int32())}, true
	case OpDelete:
		return tree.Delete{Path: d.String(), Version: d.Int32()}, true
	case OpSetData:
		return tree.SetData{Path: d.String(), Data: d.Buffer(), Version: d.Int32()}, true
	case OpCheck:
		return tree.Check{Path: d.String(), Version: d.Int32()}, true
	}
	return nil, false
}

// decodeMulti reads operations, each behind a header, up to the header that
// says that they are done.
func decodeMulti(d *jute.Decoder) (m multi, paths []string) {
	for d.Err() == nil {
		op, done := Op(d.Int32()), d.Bool()
		d.Int32() // error, unused in requests
		if done || d.Err() != nil {
			break
		}
		w, ok := decodeWrite(d, op)
		if c, isCreate := w.(tree.Create); isCreate && !c.Mode.Known() {
			ok = false // ZooKeeper decodes the mode with the operation here
		}
		if !ok {
			d.Fail()
			break
		}
		m.types, m.ops, paths = append(m.types, op), append(m.ops, w), append(paths, pathOf(w))
	}
	return m, paths
}

func decodeACL(d *jute.Decoder) []tree.ACL {
	acl := make([]tree.ACL, d.Vector(12))
	for i := range acl {
		acl[i] = tree.ACL{Perms: d.Int32(), ID: tree.ID{Scheme: d.String(), ID: d.String()}}
	}
	return acl
}

func pathOf(op tree.Op) string {
	switch op := op.(type) {
	case tree.Create:
		return op.Path
	case tree.Delete:
		return op.Path
	case tree.SetData:
		return op.Path
	case tree.SetACL:
		return op.Path
	case tree.Check:
		return op.Path
	}
	return ""
}
