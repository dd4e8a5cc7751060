package spout

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios runs the scenario files: the exact behaviour of one partition, in
// a small language. SCENARIOS=DIR runs those of another directory instead.
func TestScenarios(t *testing.T) {
	dir := "testdata/scenarios"
	if d := os.Getenv("SCENARIOS"); d != "" {
		dir = d
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no scenario files: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScenario(t)
				datadriven.RunTest(t, file, s.run)
			})
		})
	}
}

// run executes one command and returns what it prints.
func (s *scenario) run(t *testing.T, d *datadriven.TestData) string {
	out, err := s.command(d)
	if s.manager != nil {
		if err := s.check(); err != nil {
			t.Fatalf("%s: after %s: %v", d.Pos, d.Cmd, err)
		}
	}
	var bad *usageError
	if errors.As(err, &bad) {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	if err != nil {
		if out != "" {
			out += "\n"
		}
		out += "error: " + reason(err)
	}
	return out + "\n"
}

// A usageError is a scenario that isn't in the language.
type usageError struct{ what string }

func (e *usageError) Error() string { return e.what }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

var errTooMany = errors.New("too many failures")

func reason(err error) string {
	switch {
	case errors.Is(err, ErrOutOfRange):
		return "offset out of range"
	case errors.Is(err, ErrUnreadable):
		return "unreadable state"
	case errors.Is(err, errScripted):
		return "fetch"
	case errors.Is(err, errTooMany):
		return "too many failures"
	case errors.Is(err, errStore), errors.Is(err, ErrFenced):
		return "store"
	}
	return "unexpected: " + err.Error()
}

func (s *scenario) command(d *datadriven.TestData) (string, error) {
	args := d.CmdArgs
	needs := func(m *partitionManager) error {
		if m == nil {
			return usage("%s: no manager is open", d.Cmd)
		}
		return nil
	}
	switch d.Cmd {
	case "broker":
		return "ok", s.broker(args)
	case "open":
		return s.open(args)
	case "stored":
		return s.stored()
	case "store":
		return "ok", s.storeCommand(args)
	case "fetch":
		return "ok", s.fetchCommand(args)
	case "wait":
		return "ok", s.wait(args)
	}
	if err := needs(s.manager); err != nil {
		return "", err
	}
	switch d.Cmd {
	case "next":
		return s.next(args)
	case "ack":
		return s.settle(args, (*partitionManager).ackNamed)
	case "fail":
		return s.settle(args, (*partitionManager).failNamed)
	case "commit":
		return s.commit()
	case "close":
		return s.closeManager()
	case "crash":
		s.manager.release()
		s.manager = nil
		return "ok", nil
	case "state":
		return s.state(), nil
	}
	return "", usage("unknown command %q", d.Cmd)
}
