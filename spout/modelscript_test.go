package spout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// run executes one command of the scenario language and returns what it prints.
func (m *model) run(line string) string {
	f := strings.Fields(line)
	out, err := m.command(f[0], f[1:])
	if err != nil {
		if out != "" {
			out += "\n"
		}
		out += "error: " + err.Error()
	}
	return out
}

func (m *model) command(cmd string, args []string) (string, error) {
	switch cmd {
	case "broker":
		m.broker(args)
	case "open":
		if err := m.open(modelParseOptions(args)); err != nil {
			return "", err
		}
		return fmt.Sprintf("position=%d committed=%d", m.part.position, m.part.committed()), nil
	case "next":
		return m.next(args)
	case "ack", "fail":
		return m.settle(cmd, args)
	case "wait":
		d, _ := time.ParseDuration(args[0])
		m.wait(d)
	case "commit":
		return m.commit()
	case "close":
		out, err := m.commit()
		m.end()
		return out, err
	case "crash":
		m.end()
	case "state":
		return m.state(), nil
	case "stored":
		return m.showStored()
	case "store":
		switch args[0] {
		case "corrupt":
			m.garbage = true
		case "clear":
			m.garbage, m.stored = false, nil
		case "fail":
			m.storeFails, _ = strconv.Atoi(args[1])
		}
	case "fetch":
		m.fetchFails, _ = strconv.Atoi(args[1])
	default:
		panic("unknown command " + cmd)
	}
	return "ok", nil
}

func (m *model) broker(args []string) {
	l := modelLog{topic: max(1, m.log.topic)}
	for _, arg := range args {
		key, val, _ := strings.Cut(arg, "=")
		val = strings.Trim(val, "()")
		switch key {
		case "start":
			l.start, _ = strconv.ParseInt(val, 10, 64)
		case "end":
			l.end, _ = strconv.ParseInt(val, 10, 64)
		case "gone":
			l.gone = modelParseSet(val)
		case "silent":
			l.silent = modelParseSet(val)
		case "bad":
			l.bad = modelParseSet(val)
		case "fan":
			l.fan = map[int64]int{}
			for e := range strings.SplitSeq(val, ",") {
				o, k, _ := strings.Cut(e, ":")
				l.fan[modelInt(o)] = int(modelInt(k))
			}
		case "recreated":
			l.topic++
		}
	}
	m.log = l
}

func (m *model) next(args []string) (string, error) {
	limit := -1
	if len(args) > 0 {
		limit = int(modelInt(args[0]))
	}
	var given []*modelDelivery
	var err error
	for tuples := 0; limit < 0 || tuples < limit; {
		var d *modelDelivery
		if d, err = m.part.next(); d == nil || err != nil {
			break
		}
		given = append(given, d)
		tuples += len(d.acked)
	}
	switch {
	case len(given) == 0 && err != nil:
		return "", err
	case len(given) == 0:
		return "none", nil
	}
	out := "emit " + modelEmitted(given)
	if len(m.part.queue) > 0 {
		return out + " more", err
	}
	return out + " end", err
}

// modelEmitted prints deliveries in order, runs of three and more first ones as ranges.
func modelEmitted(ds []*modelDelivery) string {
	var words []string
	plain := func(d *modelDelivery) bool { return d.number == 1 && len(d.acked) == 1 }
	for i := 0; i < len(ds); {
		j := i + 1
		for plain(ds[i]) && j < len(ds) && plain(ds[j]) && ds[j].offset == ds[j-1].offset+1 {
			j++
		}
		if j-i >= 3 {
			words = append(words, fmt.Sprintf("[%d,%d)", ds[i].offset, ds[j-1].offset+1))
			i = j
			continue
		}
		for ; i < j; i++ {
			for t := range ds[i].acked {
				w := strconv.FormatInt(ds[i].offset, 10)
				if len(ds[i].acked) > 1 {
					w += "/" + strconv.Itoa(t)
				}
				if ds[i].number > 1 {
					w += "@" + strconv.Itoa(ds[i].number)
				}
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, " ")
}

func (m *model) commit() (string, error) {
	changed, err := m.part.write()
	if err != nil {
		return "", err
	}
	c := m.part.checkpoint()
	out := fmt.Sprintf("committed=%d", c.offset)
	if !changed {
		out = "unchanged " + out
	}
	if c.acked != "" {
		out += " acked=" + c.acked
	}
	return out, nil
}

func (m *model) state() string {
	p := m.part
	set := func(offs []int64) string {
		if len(offs) == 0 {
			return "-"
		}
		return modelRanges(offs)
	}
	return fmt.Sprintf("committed=%d position=%d queued=%s in-flight=%s failed=%s dropped=%d lost=%d",
		p.committed(), p.position, set(p.in(modelQueued)), set(p.in(modelInFlight)), set(p.in(modelFailed)), p.dropped, p.lost)
}

func (m *model) showStored() (string, error) {
	switch {
	case m.garbage:
		return "", errModelUnreadable
	case m.stored == nil:
		return "nothing", nil
	}
	out := fmt.Sprintf("offset=%d id=%s", m.stored.offset, m.stored.id)
	if m.stored.acked != "" {
		out += " acked=" + m.stored.acked
	}
	return out, nil
}

// settle acks or fails what args name, in order.
func (m *model) settle(cmd string, args []string) (string, error) {
	var ignored []string
	var failure error
	for _, arg := range args {
		for _, name := range modelParseNames(arg) {
			taken, err := m.settleOne(cmd, name)
			if err != nil {
				failure = err
			}
			if !taken {
				ignored = append(ignored, name.text)
			}
		}
	}
	if len(ignored) > 0 {
		return "ignored " + strings.Join(ignored, " "), failure
	}
	return "ok", failure
}

func (m *model) settleOne(cmd string, name modelName) (taken bool, err error) {
	p := m.part
	d := name.find(p)
	if d == nil {
		return false, nil
	}
	tuples := []int{name.tuple}
	if name.tuple < 0 {
		tuples = tuples[:0]
		for t, acked := range d.acked {
			if !acked {
				tuples = append(tuples, t)
			}
		}
	}
	for _, t := range tuples {
		if t >= len(d.acked) {
			continue
		}
		var ok bool
		var e error
		if cmd == "ack" {
			ok = p.ack(d, t)
		} else {
			ok, e = p.fail(d, t)
		}
		taken = taken || ok
		if e != nil {
			err = e
		}
	}
	return taken, err
}

// A modelName names tuples: of one offset, all or one, of the latest or another delivery.
type modelName struct {
	text   string
	offset int64
	tuple  int // -1: all
	number int // 0: the latest
	old    bool
}

func (n modelName) find(p *modelPartition) *modelDelivery {
	ds := p.given[n.offset]
	switch {
	case n.old:
		return p.before[n.offset]
	case n.number > 0:
		i := slices.IndexFunc(ds, func(d *modelDelivery) bool { return d.number == n.number })
		if i < 0 {
			return nil
		}
		return ds[i]
	case len(ds) > 0:
		return ds[len(ds)-1]
	}
	return nil
}
