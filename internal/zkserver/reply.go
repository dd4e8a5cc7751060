package zkserver

import (
	"encoding/binary"

	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/internal/zkserver/tree"
)

// The xids of frames that answer no request by its own: those that tell a
// watch, and those that answer a ping, whatever its xid.
const (
	xidEvent = -1
	xidPing  = -2
)

// stateConnected is the state of the session in the event of a watch.
const stateConnected = 3

// A reply is a frame in the making: its length, then what the encoder appends.
type reply struct {
	jute.Encoder
}

// newReply begins the reply to the request xid.
func newReply(xid int32, zxid int64, code tree.Code) *reply {
	r := &reply{}
	r.Int32(0) // length, set by frame
	r.Int32(xid)
	r.Int64(zxid)
	r.Int32(int32(code))
	return r
}

// frame returns the finished frame.
func (r *reply) frame() []byte {
	b := r.Bytes()
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func (r *reply) stat(s tree.Stat) {
	r.Int64(s.Czxid)
	r.Int64(s.Mzxid)
	r.Int64(s.Ctime)
	r.Int64(s.Mtime)
	r.Int32(s.Version)
	r.Int32(s.Cversion)
	r.Int32(s.Aversion)
	r.Int64(s.EphemeralOwner)
	r.Int32(s.DataLength)
	r.Int32(s.NumChildren)
	r.Int64(s.Pzxid)
}

func (r *reply) acl(acl []tree.ACL) {
	r.Int32(int32(len(acl)))
	for _, a := range acl {
		r.Int32(a.Perms)
		r.String(a.ID.Scheme)
		r.String(a.ID.ID)
	}
}

// result appends what a successful write of type op answers.
func (r *reply) result(op Op, res tree.Result) {
	switch op {
	case OpCreate:
		r.String(res.Path)
	case OpCreate2:
		r.String(res.Path)
		r.stat(res.Stat)
	case OpSetData, OpSetACL:
		r.stat(res.Stat)
	}
}

// multi appends the results of a multi. If one of codes is not OK, all results
// are errors, of which those before the failed operation carry OK.
func (r *reply) multi(types []Op, results []tree.Result, codes []tree.Code) {
	failed := false
	for _, code := range codes {
		failed = failed || code != tree.OK
	}
	for i, op := range types {
		if failed {
			r.multiHeader(opError, false, codes[i])
			r.Int32(int32(codes[i]))
			continue
		}
		r.multiHeader(op, false, tree.OK)
		r.result(op, results[i])
	}
	r.multiHeader(-1, true, -1)
}

func (r *reply) multiHeader(op Op, done bool, code tree.Code) {
	r.Int32(int32(op))
	r.Bool(done)
	r.Int32(int32(code))
}

// eventFrame is what a watch sends.
func eventFrame(typ tree.EventType, path string, zxid int64) []byte {
	r := newReply(xidEvent, zxid, tree.OK)
	r.Int32(int32(typ))
	r.Int32(stateConnected)
	r.String(path)
	return r.frame()
}

// connectFrame answers a connectRequest. A session of 0 says that the one
// asked for is gone.
func connectFrame(req connectRequest, session int64, timeout int32, passwd [16]byte) []byte {
	r := &reply{}
	r.Int32(0) // length, set by frame
	r.Int32(0) // protocol version
	r.Int32(timeout)
	r.Int64(session)
	r.Buffer(passwd[:])
	if req.readOnly {
		r.Bool(false)
	}
	return r.frame()
}
