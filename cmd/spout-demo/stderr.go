package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
)

// newLogger returns a logger that writes lines for people, in colour on a
// terminal.
func newLogger(w io.Writer) zerolog.Logger {
	return zerolog.New(zerolog.ConsoleWriter{
		Out: &lockedWriter{w: w}, TimeFormat: time.TimeOnly, NoColor: !isTerminal(w),
	}).Level(zerolog.InfoLevel).With().Timestamp().Logger()
}

// isTerminal reports whether w shows what is written to a person.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// A lockedWriter is written to by several goroutines, one at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
