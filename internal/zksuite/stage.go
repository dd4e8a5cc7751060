package zksuite

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// A stage is where a transcript is played: its clients, and what makes their
// words independent of the server's past.
type stage struct {
	addr    string
	root    string             // the path that $ stands for
	base    int64              // zxid of its creation
	clients map[string]*client // by name; nil after the end of a connection
	owners  map[int64]string   // names of sessions
	opened  map[string]int64   // the session that a name has opened last
	keys    map[int64][]byte   // passwords of sessions that may be alive
}

// Play runs the commands of a transcript against the server at addr, below the
// node root, which it creates, and returns the transcript with what the server
// says. Sessions left open are closed at the end.
func Play(t testing.TB, addr, root, script string) string {
	t.Helper()
	s := &stage{addr: addr, root: root, clients: map[string]*client{}, owners: map[int64]string{}, opened: map[string]int64{}, keys: map[int64][]byte{}}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	defer s.clear()
	var out bytes.Buffer
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "  "):
			continue // what was said when it was recorded
		case line == "", line[0] == '#':
			fmt.Fprintln(&out, line)
			continue
		}
		told, err := s.command(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		fmt.Fprintln(&out, line)
		for _, text := range told {
			fmt.Fprintln(&out, "  "+text)
		}
	}
	return out.String()
}

// prepare creates the root, by a session that is closed again.
func (s *stage) prepare() error {
	c, err := dial(s.addr)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	if _, _, err := c.connect(hello{timeout: 10000, passwd: make([]byte, 16)}); err != nil {
		return err
	}
	for _, step := range []struct {
		op   int32
		args []string
	}{{1, []string{s.root}}, {-11, nil}} {
		body, err := s.encode(step.op, step.args)
		if err != nil {
			return err
		}
		if err := c.request(1, step.op, body); err != nil {
			return err
		}
		f, err := c.read()
		if err != nil || f.code != 0 {
			return fmt.Errorf("zksuite: prepare: code %d: %w", f.code, cmp.Or(err, fmt.Errorf("refused")))
		}
		s.base = f.zxid
	}
	return nil
}

// clear ends every session that the transcript has left, so that none expires
// while another transcript is played.
func (s *stage) clear() {
	for _, id := range slices.Sorted(maps.Keys(s.keys)) {
		c, err := dial(s.addr)
		if err != nil {
			continue
		}
		if granted, _, err := c.connect(hello{timeout: 10000, session: id, passwd: s.keys[id]}); err == nil && granted != 0 {
			c.request(1, -11, nil)
			c.next()
		}
		c.conn.Close()
	}
	for _, c := range s.clients {
		if c != nil {
			c.conn.Close()
		}
	}
}

// command runs one line and returns what the client is told.
func (s *stage) command(line string) ([]string, error) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return nil, fmt.Errorf("no verb")
	}
	name, verb, args := words[0], words[1], words[2:]
	switch verb {
	case "connect":
		return s.connect(name, args)
	case "word":
		return s.word(args[0])
	}
	c := s.clients[name]
	if c == nil {
		return []string{"closed"}, nil
	}
	switch verb {
	case "cut":
		c.conn.Close()
		s.clients[name] = nil
		return nil, nil
	case "oversize":
		return s.oversize(name, c, args)
	}
	sortEvents := false
	if len(args) > 0 && args[len(args)-1] == "sorted" {
		sortEvents, args = true, args[:len(args)-1]
	}
	op, ok := verbs[verb]
	if !ok {
		return nil, fmt.Errorf("unknown verb %q", verb)
	}
	body, err := s.encode(op, args)
	if err != nil {
		return nil, err
	}
	if verb == "raw" {
		op = rawOp(args)
	}
	c.xid++
	xid := cmp.Or(map[int32]int32{11: -2, 100: -4, 101: -8}[op], c.xid)
	return s.exchange(name, c, xid, op, body, sortEvents)
}

// exchange sends a request and returns the events that come before the reply,
// and the reply. A connection that ends then or instead is "closed".
func (s *stage) exchange(name string, c *client, xid, op int32, body func(*jute.Encoder), sortEvents bool) ([]string, error) {
	err := c.request(xid, op, body)
	var told []string
	for err == nil {
		var f frame
		if f, err = c.read(); err != nil {
			break
		}
		if f.xid == -1 {
			told = append(told, s.event(f))
			continue
		}
		if sortEvents {
			slices.Sort(told)
		}
		if f.xid != xid {
			told = append(told, fmt.Sprintf("xid %d instead of %d", f.xid, xid))
		}
		told = append(told, s.reply(op, f))
		if op == -11 {
			delete(s.keys, c.session)
		}
		unknown := f.code == -6 && f.zxid == -1
		if op != -11 && f.code != -115 && !unknown {
			return told, nil
		}
		_, err = c.next() // after such a reply the connection ends
		if err == nil {
			err = fmt.Errorf("the connection goes on")
			break
		}
	}
	if !closed(err) {
		return told, err
	}
	c.conn.Close()
	s.clients[name] = nil
	return append(told, "closed"), nil
}

// connect opens a connection and a session: connect [timeout=MS] [readonly]
// [zxid=FUTURE] [session=NAME|none [password=wrong]].
func (s *stage) connect(name string, args []string) ([]string, error) {
	h := hello{timeout: 10000, passwd: make([]byte, 16)}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "timeout":
			fmt.Sscan(value, &h.timeout)
		case "readonly":
			h.readOnly = true
		case "zxid":
			h.lastZxid = s.base + 1_000_000
		case "session":
			h.session = cmp.Or(s.opened[value], 0x0123456789abcdef)
			h.passwd = s.keys[h.session]
		case "password":
			h.passwd = []byte("wrong password !")
		default:
			return nil, fmt.Errorf("unknown argument %q", arg)
		}
	}
	c, err := dial(s.addr)
	if err != nil {
		return nil, err
	}
	granted, extra, err := c.connect(h)
	if closed(err) {
		c.conn.Close()
		return []string{"closed"}, nil
	}
	if err != nil {
		return nil, err
	}
	if h.session == 0 {
		s.owners[c.session], s.opened[name] = name, c.session
	}
	if c.session != 0 {
		s.keys[c.session] = c.passwd
		s.clients[name] = c
	}
	told := []string{fmt.Sprintf("session %s timeout=%d", s.owner(c.session), granted)}
	if len(extra) > 0 {
		told = append(told, fmt.Sprintf("and %v", extra))
	}
	if c.session == 0 {
		if _, err := c.next(); closed(err) {
			told = append(told, "closed")
		}
		c.conn.Close()
	}
	return told, nil
}

// word sends a four-letter word on a connection of its own.
func (s *stage) word(word string) ([]string, error) {
	c, err := dial(s.addr)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	c.conn.SetDeadline(time.Now().Add(patience))
	if _, err := c.conn.Write([]byte(word)); err != nil {
		return nil, err
	}
	var told []string
	lines := bufio.NewScanner(c.conn)
	for lines.Scan() {
		key, _, isField := strings.Cut(lines.Text(), ": ")
		if isField && word == "srvr" && key != "Mode" {
			told = append(told, key) // the values are the server's own
		} else {
			told = append(told, lines.Text())
		}
	}
	return told, nil
}

// oversize sends a setData whose frame has the given length in bytes, of a
// node that doesn't exist.
func (s *stage) oversize(name string, c *client, args []string) ([]string, error) {
	var n int
	if _, err := fmt.Sscan(args[0], &n); err != nil {
		return nil, err
	}
	path := s.root + "/missing"
	c.xid++
	return s.exchange(name, c, c.xid, 5, func(e *jute.Encoder) {
		e.String(path)
		e.Buffer(make([]byte, n-8-4-len(path)-4-4))
		e.Int32(-1)
	}, false)
}
