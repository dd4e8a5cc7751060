// Package jute reads and writes the primitive types of jute, the encoding of
// ZooKeeper's wire protocol: big-endian integers, one-byte booleans, and
// buffers, strings and vectors behind a four-byte length. A length of -1 is
// null.
//
// A [Decoder] is made for hostile bytes: it never panics, and it allocates no
// more than a small multiple of what it is given, whatever lengths the bytes
// claim.
package jute
