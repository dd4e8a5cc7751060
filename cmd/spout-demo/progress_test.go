package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		want     string
	}{
		"lines":    {false, "0\nnews\n1\n2\n"},
		"terminal": {true, "\r0\x1b[K\r\x1b[Knews\n0\r1\x1b[K\r2\x1b[K\r2\x1b[K\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			status := make(chan string, 1)
			var last string
			p := newProgress(&strings.Builder{}, func() string {
				select {
				case last = <-status:
				default:
				}
				return last
			})
			out := p.w.(*strings.Builder)
			p.terminal = tt.terminal
			p.start()
			status <- "0"
			time.Sleep(time.Second)
			synctest.Wait()
			p.say("news")
			for _, s := range []string{"1", "2"} {
				status <- s
				time.Sleep(time.Second)
				synctest.Wait()
			}
			p.stop()
			if got := out.String(); got != tt.want {
				t.Errorf("%s: it wrote %q, want %q", name, got, tt.want)
			}
		})
	}
}
