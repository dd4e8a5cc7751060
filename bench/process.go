package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kspout/kspout/bench/measure"
)

// A launcher starts contenders, each in a process of its own. A contender called
// name@program is that of another build of this program.
type launcher struct {
	self      string // this program
	confluent string // the program of confluent-kafka-go; empty: there is none
}

func newLauncher() (l launcher, err error) {
	if l.self, err = os.Executable(); err != nil {
		return l, err
	}
	beside := filepath.Join(filepath.Dir(l.self), "bench-confluent")
	if _, err := os.Stat(beside); err == nil {
		l.confluent = beside
	}
	return l, nil
}

func (l launcher) has(contender string) bool { return contender != confluent || l.confluent != "" }

// start starts a contender on a job. The function returned waits for its result.
func (l launcher) start(ctx context.Context, contender string, job measure.Job) (wait func() (measure.Result, error), err error) {
	var program string
	job.Contender, program, _ = strings.Cut(contender, "@")
	in, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, cmp.Or(program, l.self), "contender")
	if contender == confluent {
		cmd = exec.CommandContext(ctx, l.confluent)
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() (r measure.Result, err error) {
		if err := cmd.Wait(); err != nil {
			return r, fmt.Errorf("%s: %w: %s", contender, err, strings.TrimSpace(errs.String()))
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			return r, fmt.Errorf("%s: %w", contender, err)
		}
		return r, nil
	}, nil
}
