// Package realservers runs real Apache Kafka and real Apache ZooKeeper for
// tests and benchmarks, on loopback.
package realservers
