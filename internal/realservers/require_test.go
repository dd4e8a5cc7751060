package realservers

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// spy is a testing.TB that notes how it ended.
type spy struct {
	testing.TB
	skipped, failed string
}

func (s *spy) Helper() {}
func (s *spy) Skipf(format string, args ...any) {
	s.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (s *spy) Fatal(args ...any) {
	s.failed = fmt.Sprint(args...)
	runtime.Goexit()
}

func TestRequire(t *testing.T) {
	missing := fmt.Errorf("realservers: x: %w", &missingError{"maven (mvn) not found", nil})
	for _, tt := range []struct {
		name, insist    string
		err             error
		skipped, failed bool
	}{
		{name: "all there"},
		{name: "missing", err: missing, skipped: true},
		{name: "missing and 0", insist: "0", err: missing, skipped: true},
		{name: "missing and required", insist: "1", err: missing, failed: true},
		{name: "another fault", err: errors.New("mvn has a cold"), failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(requireVariable, tt.insist)
			s := &spy{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				require(s, tt.err)
			}()
			<-done
			if (s.skipped != "") != tt.skipped || (s.failed != "") != tt.failed {
				t.Fatalf("skipped %q, failed %q, want %t, %t", s.skipped, s.failed, tt.skipped, tt.failed)
			}
			if tt.err != nil && !strings.Contains(s.skipped+s.failed, "mvn") {
				t.Errorf("%q doesn't name what is missing", s.skipped+s.failed)
			}
		})
	}
}
