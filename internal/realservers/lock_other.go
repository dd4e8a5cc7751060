//go:build !unix

package realservers

import (
	"errors"
	"os"
)

// tryLock takes the lock on the file path by creating it, or reports false if
// it exists. A process that dies holding it leaves the file behind; whoever
// waits for it then must remove it by hand.
func tryLock(path string) (unlock func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		f.Close()
		return func() { os.Remove(path) }, true, nil
	case errors.Is(err, os.ErrExist):
		return nil, false, nil
	default:
		return nil, false, err
	}
}
