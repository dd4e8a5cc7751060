package integration

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/realservers"
)

// TestRealCrash kills a tail with SIGKILL in the middle, twice, and starts it
// again until all is done.
func TestRealCrash(t *testing.T) {
	crash(t, shared(t), fresh("crash"), 100_000)
}

// TestRealCrashKafka39 does the same on the last Kafka before 4.
func TestRealCrashKafka39(t *testing.T) {
	t.Parallel() // it waits most of the time, for servers of its own
	s := shared(t)
	s.kafka = realservers.StartKafka(t, realservers.KafkaOptions{Version: realservers.KafkaVersion391})
	crash(t, s, fresh("crash"), 48_000)
}

// random returns a source whose seed is in the test's log.
func random(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func crash(t *testing.T, s servers, topic string, records int) {
	const partitions, kills = 8, 2
	rng := random(t)
	s.topic(t, topic, partitions, nil)
	ends := s.fill(t, topic, make([]int64, partitions), records/partitions)
	args := []string{"-e", "--fail-rate", "0.05", "--seed", strconv.Itoa(rng.IntN(1e6)), "--commit-interval", "50ms"}

	before := s.stored(t, topic, partitions)
	for range kills {
		// Held up, it commits what is acked by then; after that it runs freely into
		// the kill. It acks what it has written, in pieces of 1 MiB: so many lines are
		// more than one.
		held := records/4 + rng.IntN(records/16)
		tl := s.startTail(t, topic, held, args...)
		tl.await(held)
		had, _ := doneCount(before)
		eventually(t, "commits", func() bool {
			has, _ := doneCount(s.stored(t, topic, partitions))
			return has != had
		})
		tl.hold(unlimited)
		tl.await(held + rng.IntN(records/16))
		tl.kill()

		after := s.storedAfterKill(t, topic, partitions)
		l := life{before: before, deliveries: tl.deliveries(), after: after}
		if err := l.check(ends); err != nil {
			t.Fatal(err)
		}
		done, above := doneCount(after)
		t.Logf("killed after %d deliveries: %d records are stored as done, %d of them above an offset", len(l.deliveries), done, above)
		if above == 0 || done == int64(records) {
			t.Fatal("the kill shows nothing: it came when all was done, or nothing above an offset was")
		}
		before = after
	}
	tl := s.startTail(t, topic, unlimited, args...)
	tl.exits(0)
	l := life{before: before, deliveries: tl.deliveries(), after: s.stored(t, topic, partitions)}
	if err := l.checkClean(ends); err != nil {
		t.Error(err)
	}
	if err := checkComplete(l.after, ends); err != nil {
		t.Error(err)
	}
}
