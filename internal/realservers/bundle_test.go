package realservers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeMaven puts an mvn on the PATH that runs script, with the directory for
// the jars as $out, and returns a directory for its notes as $notes.
func fakeMaven(t *testing.T, script string) (notes string) {
	t.Helper()
	notes = t.TempDir()
	bin := t.TempDir()
	text := "#!/bin/sh\nnotes='" + notes + "'\nfor a; do case $a in -DoutputDirectory=*) out=${a#*=};; esac; done\n" + script
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return notes
}

func countFiles(t *testing.T, dir string) int {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

var testBundle = bundle{name: "test-1", artifacts: []artifact{{group: "g", id: "a", version: "1", excludes: []string{"x:*"}}}}

const twoJars = `touch "$notes/run.$$"; printf aaaa >"$out/a.jar"; printf bb >"$out/b.jar"`

func TestFetchIsDoneOnce(t *testing.T) {
	notes := fakeMaven(t, twoJars+"; sleep 0.2")
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cp, err := testBundle.fetch(t.Context(), cache)
			if want := filepath.Join(testBundle.dir(cache), "*"); err != nil || cp != want {
				t.Errorf("fetch = %q, %v, want %q", cp, err, want)
			}
		})
	}
	wg.Wait()
	if got := countFiles(t, notes); got != 1 {
		t.Errorf("maven ran %d times, want 1", got)
	}
}

func TestFetchRedoesWhatIsHalfDone(t *testing.T) {
	dir := func(cache string) string { return testBundle.dir(cache) }
	tests := []struct {
		name   string
		damage func(cache string) error
	}{
		{"a jar is gone", func(cache string) error { return os.Remove(filepath.Join(dir(cache), "a.jar")) }},
		{"a jar is cut short", func(cache string) error { return os.Truncate(filepath.Join(dir(cache), "a.jar"), 3) }},
		{"no manifest", func(cache string) error { return os.Remove(filepath.Join(dir(cache), manifestName)) }},
		{"an unreadable manifest", func(cache string) error {
			return os.WriteFile(filepath.Join(dir(cache), manifestName), []byte("x a.jar\n"), 0o644)
		}},
		{"killed while it downloads", func(cache string) error { return os.Rename(dir(cache), dir(cache)+".partial") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			notes := fakeMaven(t, twoJars)
			cache := t.TempDir()
			for range 2 {
				if _, err := testBundle.fetch(t.Context(), cache); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.damage(cache); err != nil {
				t.Fatal(err)
			}
			if _, err := testBundle.fetch(t.Context(), cache); err != nil {
				t.Fatal(err)
			}
			if got := countFiles(t, notes); got != 2 {
				t.Errorf("maven ran %d times, want 2", got)
			}
			if err := checkManifest(dir(cache)); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(dir(cache) + ".partial"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the half of it is still there: %v", err)
			}
		})
	}
}

func TestFetchFails(t *testing.T) {
	cache := t.TempDir()
	fakeMaven(t, `touch "$out/a.jar"; echo "[ERROR] no route to repository"; exit 1`)
	_, err := testBundle.fetch(t.Context(), cache)
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "no route to repository") {
		t.Errorf("download fails: %v, want %v with Maven's reason", err, ErrMissing)
	}
	if _, err := os.Stat(testBundle.dir(cache)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a failed download left a bundle: %v", err)
	}

	t.Setenv("PATH", t.TempDir())
	_, err = testBundle.fetch(t.Context(), cache)
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "maven (mvn) not found") {
		t.Errorf("no maven: %v, want %v that names it", err, ErrMissing)
	}
}

func TestFetchWaitsNoLongerThanItsContext(t *testing.T) {
	cache := t.TempDir()
	unlock, ok, err := tryLock(filepath.Join(cache, "lock"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := testBundle.fetch(ctx, cache); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fetch while another one works: %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestParseJavaVersion(t *testing.T) {
	for text, want := range map[string]int{
		"openjdk version \"17.0.15\" 2025-04-15\nOpenJDK":              17,
		"Picked up JAVA_TOOL_OPTIONS: -Dx\njava version \"1.8.0_402\"": 8,
		"openjdk version \"25\" 2025-09-16":                            25,
	} {
		if got, err := parseJavaVersion([]byte(text)); got != want || err != nil {
			t.Errorf("parseJavaVersion(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	if got, err := parseJavaVersion([]byte("sh: java: broken")); err == nil {
		t.Errorf("parseJavaVersion of nonsense = %d, want an error", got)
	}
}

func TestProbeJavaTooOld(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n"
	if err := os.WriteFile(filepath.Join(home, "bin", "java"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JAVA_HOME", home)
	if _, err := probeJava("java"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "is version 11") {
		t.Errorf("Java 11: %v, want %v with the version", err, ErrMissing)
	}
	t.Setenv("JAVA_HOME", t.TempDir())
	if _, err := probeJava("java"); !errors.Is(err, ErrMissing) {
		t.Errorf("no Java: %v, want %v", err, ErrMissing)
	}
}
