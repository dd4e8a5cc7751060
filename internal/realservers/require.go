package realservers

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// requireVariable is the environment variable that turns a skip for want of
// Java or Maven into a failure, by the value 1.
const requireVariable = "KSPOUT_REQUIRE_REAL"

// Require skips the test, with a line that names what is missing, where Java,
// Maven or Maven's download is. With KSPOUT_REQUIRE_REAL=1 in the environment
// it fails the test instead. Start calls it.
func Require(t testing.TB) {
	t.Helper()
	require(t, prepare())
}

// prepare fetches what the default servers need, once per process.
var prepare = sync.OnceValue(func() error {
	if _, err := java(); err != nil {
		return err
	}
	ctx := context.Background() // fetch is bounded
	for _, b := range []bundle{zooKeeperBundle(ZooKeeperVersion), kafkaBundle(KafkaVersion)} {
		if _, err := b.fetch(ctx, cacheDir()); err != nil {
			return err
		}
	}
	return nil
})

// require ends the test where err isn't nil: a skip if it is ErrMissing and
// nobody insists.
func require(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrMissing) && os.Getenv(requireVariable) != "1":
		t.Skipf("needs real servers: %v (with %s=1 this is a failure)", err, requireVariable)
	default:
		t.Fatal(err)
	}
}
