package realservers

import (
	"os"
	"path/filepath"
	"testing"
)

// StartZooKeeper is [OpenZooKeeper] for a test: the servers end with it, the
// logs are kept if it fails, and it is skipped or fails as [Require] says.
func StartZooKeeper(t testing.TB, opts ZooKeeperOptions) *ZooKeeper {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	z, err := OpenZooKeeper(t.Context(), opts)
	require(t, err)
	t.Cleanup(func() { finish(t, z.cluster) })
	return z
}

// StartKafka is [OpenKafka] for a test: the servers end with it, the logs are
// kept if it fails, and it is skipped or fails as [Require] says.
func StartKafka(t testing.TB, opts KafkaOptions) *Kafka {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	k, err := OpenKafka(t.Context(), opts)
	require(t, err)
	t.Cleanup(func() { finish(t, k.cluster) })
	return k
}

func finish(t testing.TB, c *cluster) {
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	keepLogs(t, c)
}

// keepLogs saves the logs of a failed test's servers among its artifacts and
// prints their last lines.
func keepLogs(t testing.TB, c *cluster) {
	if !t.Failed() {
		return
	}
	for _, n := range c.nodes {
		t.Logf("log of %s ends with:\n%s", n.name, n.LogTail(logLines))
		text, err := os.ReadFile(n.LogPath())
		if err == nil {
			err = os.WriteFile(filepath.Join(t.ArtifactDir(), n.name+".log"), text, 0o644)
		}
		if err != nil {
			t.Log(err)
		}
	}
}
