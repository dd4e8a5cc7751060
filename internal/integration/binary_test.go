package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// demo is the built command.
var demo binary

// A binary is a command of this project, built when a test first asks for it.
type binary struct {
	once sync.Once
	dir  string
	err  error
}

func (b *binary) path(t testing.TB) string {
	t.Helper()
	b.once.Do(func() { b.err = b.build() })
	if b.err != nil {
		t.Fatal(b.err)
	}
	return filepath.Join(b.dir, "spout-demo")
}

func (b *binary) build() (err error) {
	if b.dir, err = os.MkdirTemp("", "kspout-integration-*"); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(b.dir, "spout-demo"), "github.com/kspout/kspout/cmd/spout-demo").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build spout-demo: %w\n%s", err, out)
	}
	return nil
}

func (b *binary) remove() error {
	b.once.Do(func() { b.err = errors.New("spout-demo is removed") })
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}
