package realservers

import (
	"context"
	"fmt"
	"strings"
)

// Classes of Kafka's own tools, for [Kafka.RunTool]. What the scripts of a
// Kafka distribution start is the class that each of them names.
const (
	ConsoleProducer     = "org.apache.kafka.tools.ConsoleProducer"
	LeaderElection      = "org.apache.kafka.tools.LeaderElectionCommand"
	ReassignPartitions  = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
	ProducerPerformance = "org.apache.kafka.tools.ProducerPerformance"
	DumpLogSegments     = "kafka.tools.DumpLogSegments"
)

// RunTool runs a class of Kafka's own Java tools, or any other on the servers'
// class path, and returns its standard output. It takes a second or two. When
// ctx ends first, the tool is killed. The error has the first and last lines
// of its standard error.
//
//	k.RunTool(ctx, realservers.LeaderElection, "--bootstrap-server", k.Brokers()[0],
//		"--election-type", "preferred", "--all-topic-partitions")
func (k *Kafka) RunTool(ctx context.Context, class string, args ...string) ([]byte, error) {
	return k.RunToolWithInput(ctx, "", class, args...)
}

// RunToolWithInput is [Kafka.RunTool] with input as standard input, say the
// records for the [ConsoleProducer].
func (k *Kafka) RunToolWithInput(ctx context.Context, input, class string, args ...string) ([]byte, error) {
	jvm := []string{"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}
	cmd := k.install.command(k.dir, "256m", jvm, class, args...)
	cmd.Stdin = strings.NewReader(input)
	out, _, err := runProcess(ctx, cmd)
	if err != nil {
		return out, fmt.Errorf("realservers: %s: %w", class, err)
	}
	return out, nil
}
