package spout

import (
	"fmt"
	"strings"
)

// A modelDice makes random but mostly sensible commands out of bytes. It looks at
// the model to name offsets that mean something there.
type modelDice struct {
	bytes []byte
	m     *model
	start int64
	end   int64
	kinds map[int64]string // gone, null, silent, bad, or fan:k
}

// n returns 0 to k-1; 0 when the bytes are used up.
func (d *modelDice) n(k int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % k
}

func (d *modelDice) one(of ...string) string { return of[d.n(len(of))] }

// command returns the next one.
func (d *modelDice) command() string {
	if d.kinds == nil {
		d.kinds = map[int64]string{}
		return d.broker(true)
	}
	if d.m.part == nil {
		switch d.n(12) {
		case 0:
			return d.one("store corrupt", "store clear")
		case 1:
			return fmt.Sprintf("store fail %d", 1+d.n(2))
		case 2, 3, 4:
			return d.broker(false)
		}
		if d.m.garbage && d.n(4) > 0 {
			return "store clear"
		}
		return d.open()
	}
	switch d.n(32) {
	case 0, 1, 2:
		return d.broker(false)
	case 3:
		return fmt.Sprintf("store fail %d", 1+d.n(2))
	case 4:
		return fmt.Sprintf("fetch fail %d", 1+d.n(2))
	case 5:
		return d.one("close", "crash")
	case 6, 7:
		return "commit"
	case 8, 9, 10:
		return "wait " + d.one("1ms", "9ms", "10ms", "20ms", "50ms", "100ms", "1s")
	case 11, 12, 13, 14, 15, 16, 17:
		return "ack " + d.names()
	case 18, 19, 20, 21, 22:
		return "fail " + d.names()
	case 23, 24, 25:
		return "next"
	}
	return fmt.Sprintf("next %d", 1+d.n(4))
}

func (d *modelDice) broker(first bool) string {
	recreated := false
	how := d.n(16)
	if first {
		how = 0
	}
	switch how {
	case 0: // another topic, but at first
		d.start = int64(d.n(4))
		d.end = d.start + int64(d.n(20))
		clear(d.kinds)
		recreated = !first
	case 1, 2: // truncation
		d.end -= min(d.end-d.start, int64(1+d.n(8)))
		for o := range d.kinds {
			if o >= d.end {
				delete(d.kinds, o)
			}
		}
	case 3, 4: // retention
		d.start += min(d.end-d.start, int64(1+d.n(8)))
	case 5: // retention of everything
		d.start = d.end + int64(d.n(6))
		d.end = d.start + int64(d.n(6))
	case 6: // a leader that has more
		d.start -= min(d.start, int64(d.n(3)))
	case 7: // truncation, and growth
		d.end = max(d.start, d.end-int64(d.n(6)))
		d.end += int64(d.n(8))
	default:
		d.end += int64(d.n(10))
	}
	for range d.n(5) {
		o := d.start + int64(d.n(24))
		if p := d.m.part; p != nil && d.n(3) == 0 { // retries find what a cleaner left
			if failed := p.in(modelFailed); len(failed) > 0 {
				o = failed[d.n(len(failed))]
			}
		}
		d.kinds[o] = d.one("gone", "gone", "null", "silent", "silent", "bad", "bad", "fan:2", "fan:3", "")
	}
	lists := map[string][]string{}
	for o := d.start; o < d.end; o++ {
		switch k, n, _ := strings.Cut(d.kinds[o], ":"); k {
		case "":
		case "fan":
			lists[k] = append(lists[k], fmt.Sprintf("%d:%s", o, n))
		default:
			lists[k] = append(lists[k], fmt.Sprint(o))
		}
	}
	words := []string{"broker", fmt.Sprintf("start=%d", d.start), fmt.Sprintf("end=%d", d.end)}
	for _, k := range []string{"gone", "null", "silent", "bad", "fan"} {
		if l := lists[k]; len(l) > 0 {
			words = append(words, fmt.Sprintf("%s=(%s)", k, strings.Join(l, ",")))
		}
	}
	if recreated {
		words = append(words, "recreated")
	}
	return strings.Join(words, " ")
}

func (d *modelDice) open() string {
	words := []string{"open"}
	maybe := func(times int, key string, values ...string) {
		if d.n(times) == 0 {
			words = append(words, key+"="+d.one(values...))
		}
	}
	maybe(2, "id", "A", "A", "B")
	maybe(3, "start", "earliest", "latest", "latest", "0", "5", "12", "100")
	maybe(4, "ignore-stored", "true", "true", "false")
	maybe(3, "max-offset-behind", "0", "1", "3", "5", "8", "100")
	maybe(3, "on-out-of-range", "earliest", "latest", "latest", "error")
	maybe(2, "fetch-size", "1", "2", "3", "5")
	maybe(3, "max-pending", "1", "2", "4", "8", "0")
	maybe(2, "retry-delay", "1ms", "10ms", "10ms", "100ms")
	maybe(3, "retry-multiplier", "1", "2", "3", "1.5")
	maybe(5, "retry-max", "5ms", "30ms", "1s")
	maybe(3, "retry-limit", "0", "1", "1", "2", "-1")
	maybe(3, "timeout", "1ms", "10ms", "50ms")
	maybe(2, "on-undecodable", "fail", "fail", "skip")
	return strings.Join(words, " ")
}

// names returns what an ack or a fail is to settle.
func (d *modelDice) names() string {
	p := d.m.part
	var words []string
	for range 1 + d.n(3) {
		offs := p.in(modelInFlight)
		switch d.n(8) {
		case 0:
			offs = p.in(modelFailed)
		case 1:
			offs = p.in(modelQueued)
		case 2:
			offs = nil
		}
		o := int64(d.n(12))
		if len(offs) > 0 {
			o = offs[int(o)%len(offs)]
		} else {
			o += max(0, p.committed()-2)
		}
		ds := p.given[o]
		switch how := d.n(16); {
		case how == 0:
			words = append(words, fmt.Sprintf("old:%d", o))
		case how < 3:
			words = append(words, fmt.Sprintf("[%d,%d)", o, o+int64(1+d.n(8))))
		case how < 6 && len(ds) > 1:
			words = append(words, fmt.Sprintf("%d@%d", o, ds[d.n(len(ds))].number))
		case how < 12 && len(ds) > 0 && len(ds[len(ds)-1].acked) > 1:
			words = append(words, fmt.Sprintf("%d/%d", o, d.n(len(ds[len(ds)-1].acked))))
		default:
			words = append(words, fmt.Sprintf("%d", o))
		}
	}
	return strings.Join(words, " ")
}

// accepts reports whether a command means something in the model's state: a script
// that was cut down may hold one that doesn't.
func (m *model) accepts(line string) bool {
	f := strings.Fields(line)
	switch f[0] {
	case "broker", "stored", "wait", "fetch":
		return true
	case "open":
		return m.part == nil && m.log.topic > 0
	case "store":
		return f[1] == "fail" || m.part == nil
	}
	return m.part != nil
}
