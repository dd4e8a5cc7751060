//go:build !linux

package realservers

import "os/exec"

// dieWithParent does nothing: there is no such bond outside Linux, so a
// process that dies without Close leaves its servers running.
func dieWithParent(*exec.Cmd) {}
