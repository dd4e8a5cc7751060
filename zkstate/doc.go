// Package zkstate speaks to ZooKeeper: pipelined requests in sessions that are
// replaced when they expire, and on them a store of offsets.
//
// A [Client] holds one session at a time. [Client.Do] sends a batch of requests
// in order, without waiting for one's answer before sending the next, and
// returns the responses in the same order. A [Store] keeps the checkpoints of a
// consumer, each in a node whose version fences off other writers.
//
//	       Do, Retry             Store.Load, Store.Save
//	           │                          │
//	permits ───┤  at most MaxInFlight are sent and not answered
//	turn ──────┤  one request at a time is between here and the socket
//	           ▼
//	       *zk.Conn        one for each session
//	           │
//	         wire          tells the session: this frame is out, this
//	           │           connection ended, this is what the server granted
//	        socket
//
// # Promises
//
// Do sends all requests of a batch over one connection, in order. Once one of
// them is lost, none after it is applied later: a request that wasn't on the
// wire when its connection ended is never sent on another one. Do doesn't wait
// for a connection; [Client.Retry] does, and repeats what was lost, within the
// session in which it began. Whoever wants to go on in another session asks
// again, as the Store does.
//
// A request is in one of four states when its response is there: answered by the
// server; lost, applied or not (ErrConnectionLoss, ErrSessionExpired, ErrClosed,
// or the context's error); certainly not sent (the same with Error.Unsent); or
// refused here (ErrTooLarge, a path that isn't one). When a context ends, Do
// returns, and the permit of what it sent comes back with the answer.
//
// Save of the Store answers nil only for what is stored in ZooKeeper, with the
// version after the one that the write named.
//
// # Concurrency
//
// Every exported method of Client and Store may be called from any goroutine,
// but Close not from a session handler. What Kafka's own client guards by a
// read-write lock, held while sending and while a session is made, is here an
// atomic pointer to the session and the session's turn: nobody waits under a
// lock, so a handler may wait for a request of another goroutine.
//
// Goroutines: each request in flight has one, which ends with the library's call;
// the Client has one that replaces sessions (keep); each session has one that
// waits for the library's own loop. Close waits for all of them.
//
// # The library
//
// go-zookeeper/zk v1.0.4 does some things that this package can't live with.
// What it does, and what stands against it here:
//
//   - After an expiry it makes a new session by itself, and may apply requests of
//     the old one in it. The callback that hears of the expiry closes the Conn
//     and doesn't return before that is seen (session.onExpired).
//   - Concurrent calls reach the server in any order. The wire says when a frame
//     is written; only then is the next request launched (session.turn).
//   - A request that it hasn't written when a connection ends is written on the
//     next one, after others were reported lost. The wire refuses that frame
//     (session.frameStarts), at the price of that connection.
//   - Its event channel drops what exceeds six events. Only the callback is used.
//   - A multi that ends exactly at the end of its send buffer panics, and a
//     request over the server's limit costs everybody the connection. Sizes are
//     checked before sending, and the buffer is larger than the limit (frame.go).
//   - A failed multi reports nil for operations that were rolled back. Only the
//     first error among the results counts ([MultiError]).
//   - Names are resolved once, a failure to do so is final, and with one server
//     each reconnection fails what is unsent and takes a second. The list of
//     servers and the pauses are this package's (hosts, session.dial).
//   - It waits ten session timeouts for a connect reply. The wire keeps the
//     deadline (wire.SetReadDeadline).
//   - It doesn't tell what the server granted: timeout, session id, password. The
//     wire reads them off the connect reply (wire.greet).
//   - It encodes a request's data while the caller may have gone. Do copies it.
package zkstate
