package spout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelPassesScenarios runs the scenario files on the model alone: it keeps the
// model honest, so that a difference from the manager means something.
func TestModelPassesScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := newModel()
			for _, step := range readScript(string(data)) {
				if got := m.run(step.command); got != step.want {
					t.Fatalf("%s:%d: %s\n got: %s\nwant: %s", file, step.line, step.command, got, step.want)
				}
			}
		})
	}
}

// A scriptStep is one command of a scenario file and the output it expects.
type scriptStep struct {
	line          int
	command, want string
}

func readScript(text string) []scriptStep {
	var steps []scriptStep
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		step := scriptStep{line: i + 1, command: lines[i]}
		i++
		if i == len(lines) || lines[i] != "----" {
			panic(fmt.Sprintf("line %d: no ----", i+1))
		}
		var want []string
		for i++; i < len(lines) && lines[i] != ""; i++ {
			want = append(want, lines[i])
		}
		step.want = strings.Join(want, "\n")
		steps = append(steps, step)
	}
	return steps
}

// writeScript is the scenario file of steps, below a comment.
func writeScript(comment string, steps []scriptStep) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for i, s := range steps {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n----\n%s\n", s.command, s.want)
	}
	return b.String()
}
