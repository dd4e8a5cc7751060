package zkstate

import (
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// A wire is one TCP connection of a session, between the library and the
// socket. It tells the session what passes: the reply to the connect request,
// each frame written, and the end.
//
// The library writes one frame by one call of Write, from one goroutine at a
// time, and reads from one goroutine at a time.
type wire struct {
	net.Conn
	session *session
	gen     int // number of the connection within the session, from 1

	asked bool   // the connect request was written; the writer's
	reply []byte // the connect reply as far as it was read, nil once it's whole; the reader's
}

const (
	// opcodeAt is where the opcode is in a frame: after length and xid.
	opcodeAt = 8

	// helloLen is the part of the connect reply that matters: length, protocol
	// version, timeout, session id, and a password of 16 bytes with its length.
	helloLen = 4 + 4 + 4 + 8 + 4 + 16

	// maxReply bounds the connect reply, in bytes.
	maxReply = 1024
)

// errStale refuses a frame that the library kept from a connection that has
// ended: its caller was told that it's lost, so it must not be applied. The
// refusal costs this connection, as the library closes it.
var errStale = errors.New("zkstate: a request of an earlier connection")

var errReply = errors.New("zkstate: not a connect reply")

func (w *wire) Write(p []byte) (int, error) {
	if !w.asked {
		w.asked = true
		return w.Conn.Write(p)
	}
	if len(p) < opcodeAt+4 {
		return w.Conn.Write(p)
	}
	switch int32(binary.BigEndian.Uint32(p[opcodeAt:])) {
	case opPing, opSetAuth, opSetWatches, opClose:
		return w.Conn.Write(p) // the library's own
	}
	if !w.session.frameStarts(w.gen) {
		w.session.lost(w.gen)
		return 0, errStale
	}
	n, err := w.Conn.Write(p)
	if err != nil {
		w.session.lost(w.gen)
	}
	w.session.frameWritten()
	return n, err
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if w.reply != nil && n > 0 {
		if e := w.greet(p[:n]); e != nil {
			w.session.lost(w.gen)
			return 0, e
		}
	}
	if err != nil {
		w.session.lost(w.gen)
	}
	return n, err
}

// greet collects the connect reply and hands it to the session when it's whole.
func (w *wire) greet(p []byte) error {
	w.reply = append(w.reply, p...)
	if len(w.reply) < 4 {
		return nil
	}
	size := binary.BigEndian.Uint32(w.reply)
	if size > maxReply || size < helloLen-4 {
		return errReply
	}
	if len(w.reply) < int(size)+4 {
		return nil
	}
	h := hello{
		timeout: time.Duration(binary.BigEndian.Uint32(w.reply[8:])) * time.Millisecond,
		id:      int64(binary.BigEndian.Uint64(w.reply[12:])),
	}
	copy(h.password[:], w.reply[24:helloLen])
	w.reply = nil
	w.session.greeted(h)
	return w.Conn.SetReadDeadline(time.Time{})
}

// SetReadDeadline leaves the deadline of the connect reply, set when the
// connection was opened, to be: the library would wait for ten session timeouts.
func (w *wire) SetReadDeadline(t time.Time) error {
	if w.reply != nil {
		return nil
	}
	return w.Conn.SetReadDeadline(t)
}

// A hello is what a server grants in its connect reply. Its id is 0 if it
// refuses: the session has expired.
type hello struct {
	timeout  time.Duration
	id       int64
	password [16]byte
}
