// Package tree is the state of a ZooKeeper server: its znodes, and what each
// operation does to them.
//
// A [Tree] is told who calls, at what time, and what to do; it answers with a
// result, a [Code], and the events that watches are to see:
//
//	tree.Do(caller, now, Create{...})  ->  Result, []Event, Code
//
// Every write takes the next zxid, also one that fails, as in ZooKeeper, where
// a failed write is an error transaction in the log. A [Tree.Multi] takes one
// for all of its operations, and so does the end of a session, with all the
// ephemeral nodes that it deletes.
//
// The order in which an operation's preconditions are checked, and so which
// error wins, is that of ZooKeeper 3.9 (PrepRequestProcessor for writes,
// FinalRequestProcessor for reads). Quotas, containers and TTL nodes are not
// modelled.
//
// Nothing here does I/O, locks, starts a goroutine or reads the clock. No type
// is safe for concurrent use.
package tree
