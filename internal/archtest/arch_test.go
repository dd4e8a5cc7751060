// Package archtest holds the project's structure as tests.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kspout/kspout/"

// rules lists every package with code that is built into something. One may
// import the standard library and what its rule names (an entry that ends in "/"
// stands for all below it), and nothing else.
var rules = map[string]struct {
	may  []string
	pure bool // no I/O, no locks: see impure
}{
	"offsets": {pure: true, may: []string{"github.com/google/btree"}},
	"fetch": {may: []string{"offsets", "github.com/segmentio/kafka-go", "github.com/segmentio/kafka-go/",
		"github.com/klauspost/compress/", "github.com/pierrec/lz4/", "github.com/rs/zerolog"}},
	"zkstate": {may: []string{"offsets", "github.com/go-zookeeper/zk", "github.com/rs/zerolog"}},
	"spout": {may: []string{"fetch", "zkstate", "offsets", "github.com/rs/zerolog",
		"github.com/segmentio/kafka-go/sasl"}},
	"spouttest": {may: []string{"internal/zkserver", "internal/zkserver/", "offsets", "github.com/twmb/franz-go/"}},

	"internal/zkserver":      {may: []string{"internal/zkserver/"}},
	"internal/zkserver/jute": {},
	"internal/zkserver/tree": {may: []string{"internal/zkserver/jute"}},
	"internal/zksuite": {may: []string{"internal/zkserver", "internal/zkserver/", "internal/realservers",
		"github.com/go-zookeeper/zk", "pgregory.net/rapid"}},
	"internal/batchtest":   {may: []string{"github.com/klauspost/compress/", "github.com/pierrec/lz4/"}},
	"internal/integration": {},
	"internal/realservers": {may: []string{"github.com/segmentio/kafka-go", "github.com/segmentio/kafka-go/"}},

	"examples/quickstart": {may: []string{"spout"}},

	"cmd/spout-demo": {may: []string{"spout", "spouttest", "fetch", "zkstate", "offsets",
		"github.com/spf13/", "github.com/mattn/go-isatty", "github.com/rs/zerolog", "github.com/twmb/franz-go/", "github.com/segmentio/kafka-go/"}},
}

// impure is what a pure package does without. time is a type there, not a clock.
var impure = []string{"context", "net", "os", "sync", "sync/atomic", "syscall"}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(file string, imports []string) {
		pkg := path.Dir(file)
		rule, ok := rules[pkg]
		if !ok {
			t.Errorf("%s: the package has no rule: say what it may import", pkg)
			return
		}
		seen[pkg] = true
		for _, imp := range imports {
			name, ours := strings.CutPrefix(imp, module)
			std := !ours && !strings.Contains(strings.Split(imp, "/")[0], ".")
			switch {
			case rule.pure && slices.Contains(impure, imp):
				t.Errorf("%s imports %s; %s must stay pure", file, imp, pkg)
			case !std && !allowed(rule.may, name):
				t.Errorf("%s imports %s; allowed: %v", file, imp, rule.may)
			}
		}
	})
	for pkg := range rules {
		if !seen[pkg] {
			t.Errorf("%s: a rule, but no package", pkg)
		}
	}
}

// TestUsersDontGetTestTools follows the imports of spout: kfake and franz-go are
// never among them.
func TestUsersDontGetTestTools(t *testing.T) {
	imports := map[string][]string{}
	eachFile(t, func(file string, imps []string) {
		imports[path.Dir(file)] = append(imports[path.Dir(file)], imps...)
	})
	done := map[string]bool{}
	var walk func(pkg string)
	walk = func(pkg string) {
		if done[pkg] {
			return
		}
		done[pkg] = true
		for _, imp := range imports[pkg] {
			if strings.Contains(imp, "franz-go") {
				t.Errorf("%s imports %s, and spout imports it", pkg, imp)
			}
			if name, ours := strings.CutPrefix(imp, module); ours {
				walk(name)
			}
		}
	}
	walk("spout")
	if !done["fetch"] || !done["offsets"] {
		t.Errorf("the walk from spout met %v only", done)
	}
}

func allowed(may []string, imp string) bool {
	return slices.ContainsFunc(may, func(m string) bool {
		return imp == m || strings.HasSuffix(m, "/") && strings.HasPrefix(imp, m)
	})
}

// eachFile calls f for every Go file that isn't a test, with what it imports. It
// parses the files itself: what go list tells may be of a cached build.
func eachFile(t *testing.T, f func(file string, imports []string)) {
	t.Helper()
	root := "../.."
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "tools", "bench"}, rel) || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imp)
		}
		f(rel, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
