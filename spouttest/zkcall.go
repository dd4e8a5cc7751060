package spouttest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/internal/zkserver/jute"
)

// Codes of ZooKeeper's replies.
const (
	codeOK         = 0
	codeNoNode     = -101
	codeNodeExists = -110
)

// A zkCall is a session of the cluster's own with its ZooKeeper, without a
// socket: outages of the network don't concern it, but those of the server do.
type zkCall struct{ net.Conn }

// call opens a session, for the caller to end.
func (c *Cluster) call(ctx context.Context) (*zkCall, error) {
	here, there := net.Pipe()
	if !c.zookeeperGate().admit(there, ctx.Done()) {
		here.Close()
		return nil, errors.Join(errors.New("spouttest: ZooKeeper is stopped"), ctx.Err())
	}
	deadline := time.Now().Add(requestTimeout)
	if at, ok := ctx.Deadline(); ok && at.Before(deadline) {
		deadline = at
	}
	here.SetDeadline(deadline)
	z := &zkCall{here}
	var e jute.Encoder
	e.Int32(0) // protocol version
	e.Int64(0) // last zxid
	e.Int32(int32(requestTimeout.Milliseconds()))
	e.Int64(0) // a new session
	e.Buffer(make([]byte, 16))
	if _, err := z.exchange(e.Bytes()); err != nil {
		here.Close()
		return nil, fmt.Errorf("spouttest: ZooKeeper: connect: %w", err)
	}
	return z, nil
}

// end closes the session.
func (z *zkCall) end() {
	z.do(zkserver.OpCloseSession, func(*jute.Encoder) {})
	z.Close()
}

// do sends one request and returns the code and the body of its reply.
func (z *zkCall) do(op zkserver.Op, body func(e *jute.Encoder)) (code int32, d *jute.Decoder, err error) {
	var e jute.Encoder
	e.Int32(1) // xid
	e.Int32(int32(op))
	body(&e)
	reply, err := z.exchange(e.Bytes())
	if err != nil {
		return 0, nil, fmt.Errorf("spouttest: ZooKeeper: %s: %w", op, err)
	}
	d = jute.NewDecoder(reply)
	d.Int32() // xid
	d.Int64() // zxid
	code = d.Int32()
	return code, d, d.Err()
}

// exchange sends a frame and returns the next one.
func (z *zkCall) exchange(frame []byte) ([]byte, error) {
	if _, err := z.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)); err != nil {
		return nil, err
	}
	var head [4]byte
	if _, err := io.ReadFull(z, head[:]); err != nil {
		return nil, err
	}
	reply := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(z, reply)
	return reply, err
}
