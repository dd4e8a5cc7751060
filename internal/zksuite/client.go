package zksuite

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// patience bounds every wait for a server.
const patience = 10 * time.Second

// A frame is one message of a server: a header, and what follows it.
type frame struct {
	xid  int32
	zxid int64
	code int32
	body *jute.Decoder
}

// A client is one raw connection: it sends what it is told, and understands
// only frames.
type client struct {
	conn net.Conn
	xid  int32 // of the last request

	session int64
	passwd  []byte
}

func dial(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn}, nil
}

// send writes one frame, whose length is put before it.
func (c *client) send(payload []byte) error {
	c.conn.SetDeadline(time.Now().Add(patience))
	_, err := c.conn.Write(binary.BigEndian.AppendUint32(nil, uint32(len(payload))))
	if err == nil {
		_, err = c.conn.Write(payload)
	}
	return err
}

// request sends a request, and returns its xid.
func (c *client) request(xid, op int32, body func(*jute.Encoder)) error {
	var e jute.Encoder
	e.Int32(xid)
	e.Int32(op)
	if body != nil {
		body(&e)
	}
	return c.send(e.Bytes())
}

// next reads one frame's payload.
func (c *client) next() ([]byte, error) {
	c.conn.SetDeadline(time.Now().Add(patience))
	var head [4]byte
	if _, err := io.ReadFull(c.conn, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > 64<<20 {
		return nil, errors.New("zksuite: absurd frame")
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(c.conn, payload)
	return payload, err
}

// read reads one frame.
func (c *client) read() (frame, error) {
	payload, err := c.next()
	if err != nil {
		return frame{}, err
	}
	d := jute.NewDecoder(payload)
	return frame{xid: d.Int32(), zxid: d.Int64(), code: d.Int32(), body: d}, d.Err()
}

// A hello is what a client connects with.
type hello struct {
	lastZxid int64
	timeout  int32 // ms
	session  int64
	passwd   []byte
	readOnly bool
}

// connect opens or resumes a session. granted is 0 if the server says that
// the session is gone; extra are the bytes after the password.
func (c *client) connect(h hello) (granted int32, extra []byte, err error) {
	var e jute.Encoder
	e.Int32(0)
	e.Int64(h.lastZxid)
	e.Int32(h.timeout)
	e.Int64(h.session)
	e.Buffer(h.passwd)
	if h.readOnly {
		e.Bool(false)
	}
	if err := c.send(e.Bytes()); err != nil {
		return 0, nil, err
	}
	payload, err := c.next()
	if err != nil {
		return 0, nil, err
	}
	d := jute.NewDecoder(payload)
	d.Int32()
	granted = d.Int32()
	c.session, c.passwd = d.Int64(), d.Buffer()
	return granted, d.Rest(), d.Err()
}

// closed reports whether err says that the server cut the connection.
func closed(err error) bool {
	var timeout net.Error
	return err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}
