package main

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// clusterRun starts the cluster command and returns where it says it is.
func clusterRun(t *testing.T, args ...string) (*invocation, whereabouts) {
	t.Helper()
	v := begin(t, nil, append([]string{"cluster"}, args...)...)
	v.until("the first line", func() bool { return strings.Contains(v.out.String(), "\n") })
	var w whereabouts
	if err := json.Unmarshal([]byte(lines(v.out.String())[0]), &w); err != nil {
		t.Fatal(err)
	}
	return v, w
}

func TestClusterSaysWhereItIs(t *testing.T) {
	t.Setenv("SPOUT_BROKERS", "127.0.0.1:1") // it takes none
	v, w := clusterRun(t, "--brokers", "2", "--topic", "a:3", "--topic", "b:1")
	if len(w.Brokers) != 2 || !strings.HasPrefix(v.out.String(), `{"brokers":["127.0.0.1:`) || !strings.Contains(v.out.String(), `"],"zk":"127.0.0.1:`) {
		t.Fatalf("the first line is %s", v.out)
	}
	brokers := strings.Join(w.Brokers, ",")
	if got := ok(t, "x\n", "produce", "-b", brokers, "-t", "a", "-p", "2"); got != "a[2]@0\n" {
		t.Errorf("produce wrote %q, want a[2]@0", got)
	}
	if got := ok(t, "", "tail", "-b", brokers, "-z", w.ZK, "-t", "a", "-e"); got != "x\n" {
		t.Errorf("tail wrote %q, want x", got)
	}
	v.cancel()
	if code := v.end(); code != exitInterrupted {
		t.Errorf("interrupted, it ended with %d, want %d", code, exitInterrupted)
	}
	if n := len(lines(v.out.String())); n != 1 {
		t.Errorf("it wrote %d lines, want 1", n)
	}
	if c, err := net.Dial("tcp", w.ZK); err == nil {
		c.Close()
		t.Errorf("ZooKeeper is still there")
	}
}

func TestClusterPorts(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := itoa(ln.Addr().(*net.TCPAddr).Port)
	code, stdout, stderr := cli(t, "", "cluster", "--kafka-port", port)
	if code != exitError || stdout != "" || !strings.Contains(stderr, port) {
		t.Errorf("with its port taken, it ended with %d, stderr %q; want %d and the port", code, stderr, exitError)
	}
	code, _, stderr = cli(t, "", "cluster", "--zk-port", port)
	if code != exitError || !strings.Contains(stderr, "ZooKeeper") || !strings.Contains(stderr, port) {
		t.Errorf("with ZooKeeper's port taken, it ended with %d, stderr %q; want %d and the port", code, stderr, exitError)
	}
	ln.Close()
	_, w := clusterRun(t, "--kafka-port", port)
	if w.Brokers[0] != "127.0.0.1:"+port {
		t.Errorf("the broker is at %s, want port %s", w.Brokers[0], port)
	}
}

func TestClusterWithBrokenOutput(t *testing.T) {
	code := run(t.Context(), []string{"cluster"}, nil, brokenWriter{}, &lockedBuffer{})
	if code != exitError {
		t.Errorf("with a broken standard output, it ended with %d, want %d", code, exitError)
	}
}

// newConsumer returns a client that reads a topic from its start.
func newConsumer(t *testing.T, brokers []string, topic string) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}
