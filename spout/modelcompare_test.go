package spout

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"
)

// TestManagerAgainstModel runs random scripts on the manager and on the model.
// MODEL_SEED=N runs the script of one seed, MODEL_COUNT=N that many from a random
// seed on.
func TestManagerAgainstModel(t *testing.T) {
	seed, count := rand.Uint64()>>1, 1000
	if testing.Short() {
		count = 100
	}
	if s := os.Getenv("MODEL_COUNT"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("MODEL_COUNT: %v", err)
		}
		count = n
	}
	if s := os.Getenv("MODEL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("MODEL_SEED: %v", err)
		}
		seed = n
		if os.Getenv("MODEL_COUNT") == "" {
			count = 1
		}
	}
	t.Logf("MODEL_SEED=%d MODEL_COUNT=%d", seed, count)
	for i := range uint64(count) {
		r := rand.New(rand.NewPCG(seed+i, 1))
		data := make([]byte, 100+r.IntN(500))
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		compareScript(t, data, fmt.Sprintf("MODEL_SEED=%d", seed+i))
	}
}

// FuzzManager is TestManagerAgainstModel for the fuzzer's bytes.
func FuzzManager(f *testing.F) {
	for i := range uint64(20) {
		r := rand.New(rand.NewPCG(i, 2))
		data := make([]byte, 400)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		compareScript(t, data, "found by FuzzManager")
	})
}

// compareScript makes a script of data and fails t if manager and model differ on
// it, with the shortest scenario that shows it.
func compareScript(t *testing.T, data []byte, name string) {
	t.Helper()
	var lines []string
	d := &modelDice{bytes: data, m: newModel()}
	for len(d.bytes) > 0 {
		line := d.command()
		d.m.run(line)
		lines = append(lines, line)
		if d.m.part != nil {
			lines = append(lines, "state")
		}
		lines = append(lines, "stored")
	}
	got, steps := runBoth(t, lines)
	if got == "" {
		if len(steps) < len(lines) {
			t.Fatalf("%s: not in the language: %s", name, lines[len(steps)])
		}
		return
	}
	lines = shorten(t, lines)
	got, steps = runBoth(t, lines)
	t.Fatalf("the manager and the model differ, %s\n\n%s\nbut the manager says of the last one:\n%s", name, writeScript(name, steps), got)
}

// runBoth runs lines until the outputs differ. It returns what the manager printed
// there, empty if they never do, and the script up to there as the model sees it.
func runBoth(t *testing.T, lines []string) (got string, steps []scriptStep) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newModel(), newScenario(t)
		defer func() {
			if s.manager != nil {
				s.manager.release()
			}
		}()
		for _, line := range lines {
			if !m.accepts(line) {
				got = ""
				return
			}
			want := m.run(line)
			steps = append(steps, scriptStep{command: line, want: want})
			if out := s.output(line); out != want {
				got = out
				return
			}
		}
	})
	return got, steps
}

// output runs a command and returns what it prints, or what is broken after it.
func (s *scenario) output(line string) (out string) {
	defer func() {
		if p := recover(); p != nil {
			s.manager = nil
			out = fmt.Sprintf("panic: %v", p)
		}
	}()
	cmd, args, err := datadriven.ParseLine(line)
	if err != nil {
		return err.Error()
	}
	out, err = s.command(&datadriven.TestData{Cmd: cmd, CmdArgs: args})
	if err != nil {
		if out != "" {
			out += "\n"
		}
		out += "error: " + reason(err)
	}
	if s.manager != nil {
		if err := s.check(); err != nil {
			out += "\nbroken: " + err.Error()
		}
	}
	return out
}

// shorten leaves out lines as long as the outputs differ.
func shorten(t *testing.T, lines []string) []string {
	_, steps := runBoth(t, lines)
	lines = lines[:len(steps)]
	for n := len(lines) / 2; n > 0; {
		cut := false
		for i := 0; i+n <= len(lines); {
			shorter := slices.Delete(slices.Clone(lines), i, i+n)
			if got, _ := runBoth(t, shorter); got != "" {
				lines, cut = shorter, true
				continue
			}
			i++
		}
		if !cut || n > 1 {
			n /= 2
		}
	}
	return lines
}
