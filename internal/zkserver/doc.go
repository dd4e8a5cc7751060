// Package zkserver is a ZooKeeper server in the process: one server, data in
// memory, on the loopback interface, with faults on demand.
//
//	srv, err := zkserver.Start(zkserver.Config{})
//	...
//	defer srv.Close()
//	conn, _, err := zk.Connect([]string{srv.Addr()}, 10*time.Second)
//
// To a client it is a standalone ZooKeeper 3.9: package zksuite runs one suite
// of tests against both, with the same results. It knows sessions (also their
// resumption by id and password), persistent, ephemeral and sequential nodes,
// versions, ACLs (world, auth, digest, ip), watches, multi, and the words ruok
// and srvr. It does not know containers, TTL nodes, persistent watches, quotas,
// multi-reads, SASL, TLS or reconfiguration: such a request is answered with
// "unimplemented", and the connection is closed, as ZooKeeper does with
// operations that it does not know.
//
// # Where things are
//
//   - package jute: the primitives of the wire
//   - package tree: the nodes, and what each operation does to them
//   - request, reply: operations as bytes
//   - sessions, watches: tables, without clocks or sockets
//   - conn, outbox: the two goroutines of one connection
//   - gate: what a connection waits for before a request is executed
//   - dispatch, query: a request, from frame to reply
//   - fault: what goes wrong at a request, on demand
//   - outage: what goes wrong at any moment, on demand
//   - inspect: what tests may see without a session
//   - server, config: starting, stopping, time
//
// # Concurrency
//
// Everything that clients can observe is guarded by Server.mu: requests of all
// connections are executed one at a time. What an execution tells a connection
// (its reply, the events of its watches) is put on that connection's outbox
// under the same lock; so an event is on the wire before the reply of whatever
// the connection asks later. No lock is held over I/O. All goroutines end
// before [Server.Close] returns.
package zkserver
