package spout

import "testing"

// TestEndOfWhichNothingIsLeft: where the last offsets of a log hold no record and
// no batch that tells so, two looks that find nothing are the end.
func TestEndOfWhichNothingIsLeft(t *testing.T) {
	m, _, _ := openScripted(t, 10, func(_ *managerOptions, l *scriptLog) {
		l.end = 12
		l.gone[10], l.gone[11] = true, true
	})
	log := m.source.(*scriptSource)
	e := end{wanted: true, offset: 12}
	log.end = 10 // the gap isn't proved by the batch
	for u := range m.emitted(t) {
		if m.reached(&e) {
			t.Fatalf("%d is out, and the end is reached", u.Offset())
		}
		u.Ack()
	}
	log.end = 12
	if position, _ := m.settled(); position != 10 {
		t.Fatalf("position %d, want 10", position)
	}
	if !m.reached(&e) || e.wanted {
		t.Error("the end isn't reached, though nothing is left")
	}

	e = end{wanted: true, offset: 13}
	log.end, log.gone[12] = 13, false
	if m.reached(&e) {
		t.Error("the end is reached, though there is a record at 12")
	}
}
