// Package zksuite is one suite of tests for ZooKeeper servers, so that the one
// in the process (internal/zkserver) and the real one can be held to the same
// results.
//
// Most of it are transcripts, testdata/*.txt: conversations over raw
// connections, with everything that a server says, errors, Stat fields, zxids
// and the order of events included. They are recorded from a real ZooKeeper:
//
//	go test ./internal/zksuite -run TestRealServer -update
//
// and [Run] replays them against any server. What doesn't fit into a
// transcript, as time, restarts, and what the client library go-zookeeper
// makes of a server, are tests in Go.
//
// # Transcripts
//
// A line without indentation is a comment (#) or a command: the name of a
// client, a verb, and its arguments. The indented lines below it are what the
// client is told: events first, then the reply.
//
//	a connect
//	  session a timeout=10000
//	a create $/x data=1
//	  ok +1 $/x
//
// $ is a node that the transcript has for itself. Zxids are relative to its
// beginning, +1 being the first. Session ids appear as the name of the client
// that opened them. Times are not shown, and children are sorted.
package zksuite
