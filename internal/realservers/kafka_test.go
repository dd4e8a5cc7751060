package realservers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/kspout/kspout/internal/realservers"
)

// produce writes count records, "<tag>-0" and so on, to a topic of one
// partition, or to any of several. It tries a record again while a leader moves.
func produce(t *testing.T, k *realservers.Kafka, topic, tag string, count int) {
	t.Helper()
	tr := &kafka.Transport{}
	defer tr.CloseIdleConnections()
	c := &kafka.Client{Addr: kafka.TCP(k.Brokers()...), Transport: tr, Timeout: 20 * time.Second}
	for i := range count {
		eventually(t, func() error {
			res, err := c.Produce(t.Context(), &kafka.ProduceRequest{
				Topic: topic, RequiredAcks: kafka.RequireAll,
				Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(fmt.Appendf(nil, "%s-%d", tag, i))}),
			})
			if err != nil {
				return fmt.Errorf("produce %s-%d: %w", tag, i, err)
			}
			return res.Error
		})
	}
}

// consume reads count records of partition 0 from its start.
func consume(t *testing.T, k *realservers.Kafka, topic string, count int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: k.Brokers(), Topic: topic, MaxWait: 100 * time.Millisecond})
	defer r.Close()
	var got []string
	for range count {
		m, err := r.ReadMessage(ctx)
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, string(m.Value))
	}
	return got
}

func wantRecords(tag string, count int) []string {
	var want []string
	for i := range count {
		want = append(want, fmt.Sprintf("%s-%d", tag, i))
	}
	return want
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKafkaKeepsRecordsOverKill(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{})
	must(t, k.CreateTopic(t.Context(), "log", 1, 1, nil))
	produce(t, k, "log", "a", 10)
	if got, want := consume(t, k, "log", 10), wantRecords("a", 10); !slices.Equal(got, want) {
		t.Fatalf("read %q, want %q", got, want)
	}

	n, brokers, pid := k.Node(0), k.Brokers(), k.Node(0).Pid()
	must(t, n.Kill())
	if n.Running() || pidAlive(pid) {
		t.Fatalf("process %d is alive after Kill", pid)
	}
	must(t, n.Start(t.Context()))
	if !slices.Equal(k.Brokers(), brokers) {
		t.Fatalf("brokers %v after the restart, want %v", k.Brokers(), brokers)
	}
	if got, want := consume(t, k, "log", 10), wantRecords("a", 10); !slices.Equal(got, want) {
		t.Fatalf("after SIGKILL: read %q, want %q", got, want)
	}

	must(t, n.Stop(t.Context()))
	if n.Running() {
		t.Fatal("runs after Stop")
	}
	must(t, n.Start(t.Context()))
	if got, want := consume(t, k, "log", 10), wantRecords("a", 10); !slices.Equal(got, want) {
		t.Fatalf("after a clean stop: read %q, want %q", got, want)
	}
}

func TestKafkaTopics(t *testing.T) {
	k := shared.Get(t)
	ctx := t.Context()
	must(t, k.CreateTopic(ctx, "topics", 1, 1, map[string]string{"max.message.bytes": "6000000"}))
	if err := k.CreateTopic(ctx, "topics", 1, 1, nil); !errors.Is(err, kafka.TopicAlreadyExists) {
		t.Errorf("second create: %v, want %v", err, kafka.TopicAlreadyExists)
	}
	must(t, k.CreatePartitions(ctx, "topics", 3))
	parts, err := k.Partitions(ctx, "topics")
	if err != nil || len(parts) != 3 {
		t.Fatalf("partitions %+v, %v, want 3", parts, err)
	}
	if err := k.CreatePartitions(ctx, "topics", 2); !errors.Is(err, kafka.InvalidPartitionNumber) {
		t.Errorf("fewer partitions: %v, want %v", err, kafka.InvalidPartitionNumber)
	}
	must(t, k.DeleteTopic(ctx, "topics"))
	if _, err := k.Partitions(ctx, "topics"); !errors.Is(err, kafka.UnknownTopicOrPartition) {
		t.Errorf("after delete: %v, want %v", err, kafka.UnknownTopicOrPartition)
	}
	if err := k.DeleteTopic(ctx, "topics"); !errors.Is(err, kafka.UnknownTopicOrPartition) {
		t.Errorf("second delete: %v, want %v", err, kafka.UnknownTopicOrPartition)
	}
}

func TestKafkaDeleteRecords(t *testing.T) {
	k := shared.Get(t)
	must(t, k.CreateTopic(t.Context(), "trimmed", 1, 1, nil))
	produce(t, k, "trimmed", "a", 10)
	must(t, k.DeleteRecords(t.Context(), "trimmed", 0, 4))
	if got, want := consume(t, k, "trimmed", 6), wantRecords("a", 10)[4:]; !slices.Equal(got, want) {
		t.Fatalf("read %q, want %q", got, want)
	}
	if err := k.DeleteRecords(t.Context(), "trimmed", 0, 11); !errors.Is(err, kafka.OffsetOutOfRange) {
		t.Errorf("past the end: %v, want %v", err, kafka.OffsetOutOfRange)
	}
	if err := k.DeleteRecords(t.Context(), "trimmed", 1, 0); !errors.Is(err, kafka.UnknownTopicOrPartition) {
		t.Errorf("no such partition: %v, want %v", err, kafka.UnknownTopicOrPartition)
	}
}

func TestKafkaRunsTools(t *testing.T) {
	k := shared.Get(t)
	must(t, k.CreateTopic(t.Context(), "tool", 1, 1, nil))
	_, err := k.RunToolWithInput(t.Context(), "a-0\na-1\n", realservers.ConsoleProducer,
		"--bootstrap-server", k.Brokers()[0], "--topic", "tool", "--compression-codec", "zstd")
	must(t, err)
	if got, want := consume(t, k, "tool", 2), wantRecords("a", 2); !slices.Equal(got, want) {
		t.Fatalf("read %q, want %q", got, want)
	}

	if _, err = k.RunTool(t.Context(), realservers.ConsoleProducer, "--bogus"); err == nil || !strings.Contains(err.Error(), "bogus") {
		t.Errorf("bad arguments: %v, want an error that names them", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err = k.RunTool(ctx, realservers.ConsoleProducer, "--help"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cut short: %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestKafkaPaused(t *testing.T) {
	k := shared.Get(t)
	n := k.Node(0)
	must(t, n.Pause())
	must(t, n.Pause())
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := n.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a paused broker: %v, want %v", err, context.DeadlineExceeded)
	}
	if !n.Running() {
		t.Error("a paused broker doesn't count as running")
	}
	must(t, n.Resume())
	must(t, n.Await(t.Context()))
	must(t, n.Pause())
	must(t, n.Start(t.Context())) // resumes
}

func TestKafka391(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{Version: realservers.KafkaVersion391})
	must(t, k.CreateTopic(t.Context(), "old", 1, 1, nil))
	produce(t, k, "old", "a", 10)
	must(t, k.DeleteRecords(t.Context(), "old", 0, 3))
	if got, want := consume(t, k, "old", 7), wantRecords("a", 10)[3:]; !slices.Equal(got, want) {
		t.Fatalf("read %q, want %q", got, want)
	}
	must(t, k.Node(0).Stop(t.Context()))
	must(t, k.Node(0).Start(t.Context()))
	if got, want := consume(t, k, "old", 7), wantRecords("a", 10)[3:]; !slices.Equal(got, want) {
		t.Fatalf("after the restart: read %q, want %q", got, want)
	}
}

// TestKafkaMovesLeaders kills one broker of three, the active controller among
// them at some time, and brings it back.
func TestKafkaMovesLeaders(t *testing.T) {
	k := realservers.StartKafka(t, realservers.KafkaOptions{Nodes: 3})
	must(t, k.CreateTopic(t.Context(), "log", 6, 3, nil))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for victim := range 3 {
		n := k.Node(victim)
		must(t, n.Kill())
		// A change asked for while the controller may be gone.
		topic := fmt.Sprintf("during-%d", victim)
		must(t, k.CreateTopic(ctx, topic, 2, 2, nil))
		must(t, k.AwaitPartitions(ctx, "log", func(parts []realservers.Partition) bool {
			return len(parts) == 6 && !slices.ContainsFunc(parts, func(p realservers.Partition) bool {
				return p.Leader == victim || p.Leader < 0 || slices.Contains(p.ISR, victim)
			})
		}))
		produce(t, k, topic, "a", 1)
		must(t, n.Start(ctx))
		must(t, k.AwaitInSync(ctx, "log"))
	}

	// All at once, and back with a majority missing at first.
	must(t, k.KillAll())
	must(t, k.StartAll(ctx))
	for _, topic := range []string{"log", "during-0", "during-1", "during-2"} {
		must(t, k.AwaitInSync(ctx, topic))
	}
	if _, err := k.RunTool(ctx, realservers.LeaderElection, "--bootstrap-server", k.Brokers()[0],
		"--election-type", "preferred", "--all-topic-partitions"); err != nil {
		t.Fatal(err)
	}
	must(t, k.AwaitPartitions(ctx, "log", func(parts []realservers.Partition) bool {
		return len(parts) == 6 && !slices.ContainsFunc(parts, func(p realservers.Partition) bool { return p.Leader != p.Replicas[0] })
	}))
}

func TestKafkaBadOptions(t *testing.T) {
	realservers.Require(t)
	if _, err := realservers.OpenKafka(t.Context(), realservers.KafkaOptions{Nodes: 2}); err == nil {
		t.Error("2 nodes: no error")
	}
	// A server that doesn't come up: its log says why.
	_, err := realservers.OpenKafka(t.Context(), realservers.KafkaOptions{
		Dir: t.TempDir(), Properties: map[string]string{"inter.broker.listener.name": "NOWHERE"},
	})
	if err == nil || !strings.Contains(err.Error(), "NOWHERE") {
		t.Errorf("bad property: %v, want an error with the reason", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := realservers.OpenKafka(ctx, realservers.KafkaOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want %v", err, context.Canceled)
	}
}
