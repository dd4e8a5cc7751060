// Package integration has the tests of the project as a whole, and nothing else:
// the built spout-demo as a process of its own, and the library where a process
// would add nothing, on real Apache Kafka and real Apache ZooKeeper.
//
// Servers and processes are killed, paused and restarted in the middle of the
// work. What has to hold then is checked by a life, which compares all that a
// process wrote with what ZooKeeper held before it and after it.
//
// The tests need Java 17 and Maven, as internal/realservers says, and skip with a
// line where these are missing; with KSPOUT_REQUIRE_REAL=1 they fail instead.
// When one fails, what its processes wrote lies in its artifact directory (kept
// by go test -artifacts).
package integration
