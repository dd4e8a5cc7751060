// Package contender holds the ways to read a topic that are compared: this
// project's, those of other Go clients, and the floor, which does nothing but
// what any of them must do.
//
// Each does the same with a record: [measure.Tally.Add] of its value. Each reads
// uncommitted or committed as its default is: the topics have no transactions.
package contender

import "github.com/kspout/kspout/bench/measure"

// All are the contenders of this package by their names. That of librdkafka has
// a program of its own.
var All = map[string]measure.Contender{
	"raw":             raw,
	"fetch":           fetchAlone,
	"spout":           spoutInCallback,
	"spout-shuffled":  spoutShuffled,
	"kafka-go-reader": kafkaGoReader,
	"kafka-go-fetch":  kafkaGoFetch,
	"franz-go":        franzGo,
	"franz-go-pools":  franzGoPools,
	"sarama":          sarama,

	"spout-latency":    spoutLatency,
	"franz-go-latency": franzGoLatency,
}
