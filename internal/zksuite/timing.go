package zksuite

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// Tests of what a transcript can't show: time, restarts, and frames that are
// on their way together.

// open connects a raw client, or ends the test. The connection is closed with
// the test, and the session then too.
func open(t *testing.T, srv Server, h hello) *client {
	t.Helper()
	if h.passwd == nil {
		h.passwd = make([]byte, 16)
	}
	c, err := dial(srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	granted, _, err := c.connect(h)
	if err != nil || granted == 0 {
		t.Fatalf("connect: timeout %d, %v", granted, err)
	}
	t.Cleanup(func() {
		if c.request(1, -11, nil) == nil {
			for _, err := c.next(); err == nil; _, err = c.next() {
			}
		}
		c.conn.Close()
	})
	return c
}

// call sends a request and returns its reply, or ends the test. Events before
// it are skipped. A server answers every ping with the xid -2.
func (c *client) call(t *testing.T, op int32, body func(*jute.Encoder)) frame {
	t.Helper()
	c.xid++
	if err := c.request(c.xid, op, body); err != nil {
		t.Fatalf("op %d: %v", op, err)
	}
	for {
		f, err := c.read()
		if err != nil {
			t.Fatalf("op %d: %v", op, err)
		}
		if f.xid == c.xid || op == 11 && f.xid == -2 {
			return f
		}
	}
}

func createBody(path string, data string, flags int32) func(*jute.Encoder) {
	return func(e *jute.Encoder) {
		e.String(path)
		e.Buffer([]byte(data))
		args{}.acl(e)
		e.Int32(flags)
	}
}

func readBody(path string, watch bool) func(*jute.Encoder) {
	return func(e *jute.Encoder) { e.String(path); e.Bool(watch) }
}

func setBody(path, data string) func(*jute.Encoder) {
	return func(e *jute.Encoder) { e.String(path); e.Buffer([]byte(data)); e.Int32(-1) }
}

// testExpiry: a session of which nothing is heard ends after its timeout, and
// a tick later at the most, with its nodes and its connection.
func testExpiry(t *testing.T, srv Server) {
	const timeout, tick, slack = 1000 * time.Millisecond, 500 * time.Millisecond, time.Second
	watcher := open(t, srv, hello{timeout: 10000})
	c := open(t, srv, hello{timeout: int32(timeout.Milliseconds())})
	heard := time.Now()
	if f := c.call(t, 1, createBody("/expiry", "", 1)); f.code != 0 {
		t.Fatalf("create: %d", f.code)
	}
	if f := watcher.call(t, 3, readBody("/expiry", true)); f.code != 0 {
		t.Fatalf("exists: %d", f.code)
	}
	f, err := watcher.read()
	if err != nil || f.xid != -1 || f.body.Int32() != 2 {
		t.Fatalf("watch: %+v, %v, want the deletion", f, err)
	}
	if after := time.Since(heard); after < timeout || after > timeout+tick+slack {
		t.Errorf("ended after %v, want %v to %v", after, timeout, timeout+tick)
	}
	if _, err := c.next(); !closed(err) {
		t.Errorf("the connection lives on: %v", err)
	}
	again, err := dial(srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer again.conn.Close()
	if granted, _, err := again.connect(hello{timeout: 1000, session: c.session, passwd: c.passwd}); granted != 0 || err != nil {
		t.Errorf("resumed an expired session: %d, %v", granted, err)
	}
}

// testPing: a session that is heard of lives on.
func testPing(t *testing.T, srv Server) {
	c := open(t, srv, hello{timeout: 1000})
	if f := c.call(t, 1, createBody("/ping", "", 1)); f.code != 0 {
		t.Fatalf("create: %d", f.code)
	}
	if err := c.request(7, 11, nil); err != nil {
		t.Fatal(err)
	}
	if f, err := c.read(); err != nil || f.xid != -2 {
		t.Errorf("a ping of xid 7 is answered with %d, %v, want -2", f.xid, err)
	}
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for range 8 {
		<-tick.C
		if f := c.call(t, 11, nil); f.code != 0 {
			t.Fatalf("ping: %d", f.code)
		}
	}
	if f := c.call(t, 3, readBody("/ping", false)); f.code != 0 {
		t.Errorf("the session's node: %d", f.code)
	}
}

// testRestart: data and sessions outlive a server's process.
func testRestart(t *testing.T, srv Server) {
	a := open(t, srv, hello{timeout: 10000})
	a.call(t, 1, createBody("/restart", "kept", 0))
	before := a.call(t, 1, createBody("/restart/e", "", 1))
	addr := srv.Addr()
	srv.Restart(t)
	if srv.Addr() != addr {
		t.Errorf("address was %s, is %s", addr, srv.Addr())
	}
	if _, err := a.next(); !closed(err) {
		t.Errorf("the connection lives on: %v", err)
	}
	b := open(t, srv, hello{timeout: 10000, session: a.session, passwd: a.passwd, lastZxid: before.zxid})
	f := b.call(t, 4, readBody("/restart", false))
	if got := string(f.body.Buffer()); f.code != 0 || got != "kept" {
		t.Errorf("data is %q, code %d", got, f.code)
	}
	if f := b.call(t, 3, readBody("/restart/e", false)); f.code != 0 {
		t.Errorf("the session's node: %d", f.code)
	}
	if f := b.call(t, 5, setBody("/restart", "on")); f.zxid <= before.zxid {
		t.Errorf("zxid %d after %d", f.zxid, before.zxid)
	}
}

// testTimes: ctime and mtime are of the server's clock, in milliseconds.
func testTimes(t *testing.T, srv Server) {
	c := open(t, srv, hello{timeout: 10000})
	times := func() (ctime, mtime int64) {
		d := c.call(t, 3, readBody("/times", false)).body
		d.Int64()
		d.Int64()
		return d.Int64(), d.Int64()
	}
	start := time.Now().UnixMilli()
	c.call(t, 1, createBody("/times", "", 0))
	ctime, mtime := times()
	if now := time.Now().UnixMilli(); ctime != mtime || ctime < start || ctime > now {
		t.Errorf("created: ctime %d, mtime %d, between %d and %d", ctime, mtime, start, now)
	}
	for time.Now().UnixMilli() <= ctime+1 { // the next change is at another time
		c.call(t, 11, nil)
	}
	c.call(t, 1, createBody("/times/kid", "", 0))
	if c2, m2 := times(); c2 != ctime || m2 != mtime {
		t.Errorf("a child changed ctime %d to %d, mtime %d to %d", ctime, c2, mtime, m2)
	}
	c.call(t, 5, setBody("/times", "x"))
	if c2, m2 := times(); c2 != ctime || m2 <= mtime {
		t.Errorf("set changed ctime %d to %d, mtime %d to %d", ctime, c2, mtime, m2)
	}
}

// testPipeline: requests that are sent without waiting are answered in order,
// also when they arrive in pieces.
func testPipeline(t *testing.T, srv Server) {
	const n = 300
	c := open(t, srv, hello{timeout: 10000})
	c.call(t, 1, createBody("/pipeline", "", 0))
	var wire []byte
	for i := range n {
		var e jute.Encoder
		e.Int32(int32(1000 + i))
		if i%2 == 0 {
			e.Int32(5)
			setBody("/pipeline", fmt.Sprint(i))(&e)
		} else {
			e.Int32(4)
			readBody("/pipeline", false)(&e)
		}
		wire = binary.BigEndian.AppendUint32(wire, uint32(len(e.Bytes())))
		wire = append(wire, e.Bytes()...)
	}
	sent := make(chan error, 1)
	go func() {
		var err error
		for len(wire) > 0 && err == nil {
			piece := wire[:min(777, len(wire))]
			wire = wire[len(piece):]
			_, err = c.conn.Write(piece)
		}
		sent <- err
	}()
	for i := range n {
		f, err := c.read()
		if err != nil || f.xid != int32(1000+i) || f.code != 0 {
			t.Fatalf("reply %d: %+v, %v", i, f, err)
		}
		if i%2 == 1 {
			if got, want := string(f.body.Buffer()), fmt.Sprint(i-1); got != want {
				t.Fatalf("reply %d: %q, want %q", i, got, want)
			}
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}
