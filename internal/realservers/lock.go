package realservers

import (
	"context"
	"fmt"
	"time"
)

// lockFile waits for the lock on the file path until ctx ends.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, ok, err := tryLock(path)
		if err != nil || ok {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
