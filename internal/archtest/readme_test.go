package archtest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the README's program and table of settings anew")

// TestReadme compares what the README shows of the code with the code: the
// program to copy, and the table of settings. -update rewrites them.
func TestReadme(t *testing.T) {
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../../examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	want := replace(t, string(text), "```go\n// Quickstart", "\n```\n", "```go\n"+strings.TrimSpace(string(program)))
	want = replace(t, want, "|---|---|---|\n", "\n\n", "|---|---|---|\n"+strings.Join(configRows(t), "\n"))
	if want == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("README.md shows another program or table of settings than the code has: go test ./internal/archtest -update")
}

// replace puts with in the place of what begins with from and goes on up to to.
func replace(t *testing.T, text, from, to, with string) string {
	t.Helper()
	i := strings.Index(text, from)
	if i < 0 {
		t.Fatalf("README.md: %q isn't there", from)
	}
	n := strings.Index(text[i:], to)
	if n < 0 {
		t.Fatalf("README.md: nothing ends what begins at %q", from)
	}
	return text[:i] + with + text[i+n:]
}

// configRows returns a row for each field of spout.Config: its name, its default,
// and what it means, from its comment.
func configRows(t *testing.T) (rows []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../spout/config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Config" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			doc := strings.Join(strings.Fields(field.Doc.Text()), " ")
			meaning, value, _ := strings.Cut(doc, "Default: ")
			if m, ok := strings.CutSuffix(meaning, "Required."); ok {
				meaning, value = m, "required"
			}
			for _, name := range field.Names {
				if doc == "" || !strings.HasPrefix(doc, name.Name+" ") {
					t.Errorf("spout.Config.%s: its comment has to begin with its name", name)
				}
				rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", name, cell(value), cell(strings.TrimPrefix(meaning, name.Name+" "))))
			}
		}
		return false
	})
	return rows
}

func cell(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	return strings.NewReplacer("<", "&lt;", "|", "&#124;").Replace(s)
}
