//go:build !unix

package realservers

import (
	"errors"
	"os"
)

func pauseProcess(*os.Process) error       { return errors.ErrUnsupported }
func resumeProcess(*os.Process) error      { return errors.ErrUnsupported }
func terminateProcess(p *os.Process) error { return p.Kill() }
