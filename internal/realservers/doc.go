// Package realservers runs real Apache Kafka and real Apache ZooKeeper for
// tests and benchmarks: one server or three, on free ports of 127.0.0.1, with
// data in a temporary directory. It needs Java 17 or later, and Maven once, to
// download the servers into the user's cache directory.
//
//	func TestOverARestart(t *testing.T) {
//		k := realservers.StartKafka(t, realservers.KafkaOptions{})
//		if err := k.CreateTopic(t.Context(), "log", 8, 1, nil); err != nil {
//			t.Fatal(err)
//		}
//		// ... produce to k.Brokers() ...
//		if err := k.Node(0).Kill(); err != nil { // SIGKILL
//			t.Fatal(err)
//		}
//		if err := k.Node(0).Start(t.Context()); err != nil { // same port, same data
//			t.Fatal(err)
//		}
//	}
//
// # Ways in
//
// [StartKafka] and [StartZooKeeper] are for one test: the servers end with it.
// [SharedKafka] and [SharedZooKeeper] are for the tests of a package, which
// share one that the first of them starts. [OpenKafka] and [OpenZooKeeper]
// return errors and are for everything else.
//
// Where Java, Maven or the download is missing, a test is skipped with a line
// that says which; with KSPOUT_REQUIRE_REAL=1 in the environment it fails. A
// test that needs more than a server can ask [Require] first. Tests with
// servers want a machine of their own: run packages that have some with -p 1.
//
// # Faults
//
// A [Node] can be killed, stopped cleanly, paused and resumed (SIGSTOP and
// SIGCONT), and started again. It keeps its address and its data. Some facts of
// the servers that a test meets:
//
//   - A Kafka broker that was killed starts again only when the controllers
//     have given it up, broker.session.timeout.ms (3 s here) after its last
//     heartbeat: about 5 s in all. After a clean stop it takes a second or two.
//   - A node of three serves with one other node at least. Bring back a
//     majority that is down by StartAll, or by [Node.Launch] and then
//     [Node.Await], not one by one.
//   - A broker that is back serves before its replicas are in sync:
//     [Kafka.AwaitInSync].
//   - Kafka writes a log's start and high watermark to disk every so often:
//     after a kill of the only broker, records that DeleteRecords deleted can be
//     back.
//   - ZooKeeper runs with tickTime=500: it grants session timeouts from 1 s to
//     10 s, and an ensemble takes some 3 s to depose a paused leader.
//   - ZooKeeper doesn't sync its log to disk. That is safe against a kill of the
//     process, which is all that this package does.
//
// # Kafka's own tools
//
// [Kafka.CreateTopic] and its siblings go straight to a broker. For what has no
// method, [Kafka.RunTool] runs any class of Kafka's command line tools:
//
//	k.RunTool(ctx, realservers.ProducerPerformance, "--topic", "log", "--num-records", "1000",
//		"--record-size", "100", "--throughput", "-1", "--transactional-id", "tx",
//		"--transaction-duration-ms", "50", "--bootstrap-server", k.Brokers()[0])
//
// # How it is kept safe
//
// Jars lie in kspout/ under [os.UserCacheDir], one directory for each server
// and version. A directory gets its name when it is whole, and its manifest is
// checked at each use; a lock makes one process download while others wait.
// Beside the jars lie two things that one run of the server made to save time:
// a formatted Kafka directory, and an archive of Java's loaded classes. All of
// it may be deleted at any time that no server runs.
//
// Ports are reserved by a lock file each for as long as a cluster is open, and
// lie outside the range that connections take local ports from. If a stranger
// takes one all the same before the server has it, the cluster is started once
// more on others.
//
// No server outlives its test, nor, on Linux, the process that started it, even
// if that is killed: the kernel sends SIGKILL. When a server doesn't come up,
// the error has the last lines of its log; when a test fails, they are printed,
// and the logs go to its [testing.T.ArtifactDir] (kept by go test -artifacts).
package realservers
