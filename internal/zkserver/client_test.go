package zkserver

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
	"github.com/kspout/kspout/internal/zkserver/tree"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A peer is a client that the tests drive frame by frame.
type peer struct {
	t    testing.TB
	conn net.Conn
	xid  int32

	session int64
	timeout time.Duration
	passwd  []byte
}

// startPipe runs a server on a Pipe, until the test ends.
func startPipe(t testing.TB, cfg Config) (*Server, *Pipe) {
	t.Helper()
	p := &Pipe{}
	cfg.Listen = p.Listen
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, p
}

// dial connects without a session.
func (p *Pipe) dial(t testing.TB) *peer {
	t.Helper()
	conn, err := p.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &peer{t: t, conn: conn}
}

// connect connects with a new session.
func (p *Pipe) connect(t testing.TB, timeout time.Duration) *peer {
	t.Helper()
	c := p.dial(t)
	if !c.open(timeout, 0, make([]byte, 16)) {
		t.Fatal("no session")
	}
	return c
}

// open opens or resumes a session, and reports whether there is one.
func (c *peer) open(timeout time.Duration, session int64, passwd []byte) bool {
	c.t.Helper()
	var e jute.Encoder
	e.Int32(0)
	e.Int64(0)
	e.Int32(int32(timeout.Milliseconds()))
	e.Int64(session)
	e.Buffer(passwd)
	c.write(e.Bytes())
	d := jute.NewDecoder(c.read())
	d.Int32()
	c.timeout, c.session, c.passwd = time.Duration(d.Int32())*time.Millisecond, d.Int64(), d.Buffer()
	return c.session != 0
}

func (c *peer) write(payload []byte) {
	c.t.Helper()
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
	if _, err := c.conn.Write(frame); err != nil {
		c.t.Fatal(err)
	}
}

// read returns a frame's payload; nil is the end of the connection.
func (c *peer) read() []byte {
	var head [4]byte
	if _, err := io.ReadFull(c.conn, head[:]); err != nil {
		return nil
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(c.conn, b); err != nil {
		return nil
	}
	return b
}

// A told is one frame from the server.
type told struct {
	xid  int32
	zxid int64
	code tree.Code
	body *jute.Decoder
	end  bool // it's none: the connection has ended
}

func (c *peer) next() told {
	b := c.read()
	d := jute.NewDecoder(b)
	return told{xid: d.Int32(), zxid: d.Int64(), code: tree.Code(d.Int32()), body: d, end: b == nil}
}

// send sends a request without waiting for the reply.
func (c *peer) send(op Op, body func(*jute.Encoder)) {
	c.t.Helper()
	c.xid++
	var e jute.Encoder
	e.Int32(c.xid)
	e.Int32(int32(op))
	if body != nil {
		body(&e)
	}
	c.write(e.Bytes())
}

// call sends a request and returns what comes next, reply or event.
func (c *peer) call(op Op, body func(*jute.Encoder)) told {
	c.t.Helper()
	c.send(op, body)
	return c.next()
}

func create(path string, mode tree.Mode) func(*jute.Encoder) {
	return func(e *jute.Encoder) {
		e.String(path)
		e.Buffer(nil)
		e.Int32(1)
		e.Int32(tree.All)
		e.String("world")
		e.String("anyone")
		e.Int32(int32(mode))
	}
}

func read(path string, watch bool) func(*jute.Encoder) {
	return func(e *jute.Encoder) { e.String(path); e.Bool(watch) }
}

func set(path, data string) func(*jute.Encoder) {
	return func(e *jute.Encoder) { e.String(path); e.Buffer([]byte(data)); e.Int32(-1) }
}

// want ends the test unless the frame is a reply with this code.
func (f told) want(t testing.TB, code tree.Code) told {
	t.Helper()
	if f.end || f.code != code || f.xid == xidEvent {
		t.Fatalf("told %+v, want %v", f, code)
	}
	return f
}

// wantEnd ends the test unless the connection has ended.
func (f told) wantEnd(t testing.TB) {
	t.Helper()
	if !f.end {
		t.Fatalf("told %+v, want the end of the connection", f)
	}
}
