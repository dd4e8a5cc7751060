package zksuite

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// A Server is one that the suite tests. Its tick is 500 ms.
type Server interface {
	// Addr returns host:port.
	Addr() string

	// Restart kills the server, and starts it again at the same address with
	// the data it had.
	Restart(t testing.TB)
}

//go:embed testdata/*.txt
var transcripts embed.FS

// Run runs the suite on a server that open starts. One server is used for all
// of it, by nobody else.
func Run(t *testing.T, open func(t *testing.T) Server) {
	srv := open(t)
	for _, name := range Transcripts() {
		t.Run(name, func(t *testing.T) {
			want := transcript(name)
			if got := Play(t, srv.Addr(), "/"+name, want); got != want {
				t.Errorf("testdata/%s.txt: the server says otherwise (-recorded +got):\n%s", name, Diff(want, got))
			}
		})
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, Server)
	}{
		{"pipeline", testPipeline},
		{"times", testTimes},
		{"ping", testPing},
		{"expiry", testExpiry},
		{"restart", testRestart},
		{"library/ops", testLibraryOps},
		{"library/multi", testLibraryMulti},
		{"library/watches", testLibraryWatches},
		{"library/auth", testLibraryAuth},
		{"library/lock", testLibraryLock},
		{"library/oversize", testLibraryOversize},
		{"library/restart", testLibraryRestart},
		{"library/expiry", testLibraryExpiry},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, srv) })
	}
}

// Transcripts returns the names of the recorded transcripts.
func Transcripts() []string {
	files, err := fs.Glob(transcripts, "testdata/*.txt")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".txt"))
	}
	return names
}

func transcript(name string) string {
	text, err := transcripts.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		panic(err) // name is none of Transcripts
	}
	return string(text)
}

// Diff shows, for two transcripts of the same commands, the first commands
// whose outcome differs.
func Diff(want, got string) string {
	var out strings.Builder
	a, b := blocks(want), blocks(got)
	shown := 0
	for i := 0; i < max(len(a), len(b)) && shown < 10; i++ {
		var x, y block
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x == y {
			continue
		}
		shown++
		fmt.Fprintf(&out, "%s\n", y.command)
		for line := range strings.Lines(x.told) {
			out.WriteString("-" + line)
		}
		for line := range strings.Lines(y.told) {
			out.WriteString("+" + line)
		}
	}
	return out.String()
}

// A block is a command and what is told.
type block struct{ command, told string }

func blocks(text string) []block {
	var out []block
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") && len(out) > 0 {
			out[len(out)-1].told += line
		} else {
			out = append(out, block{command: strings.TrimSpace(line)})
		}
	}
	return out
}
