package zkstate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-zookeeper/zk"
)

// What ZooKeeper answers. Match with [errors.Is]; the error is an [Error].
var (
	ErrNoNode     = errors.New("no such node")
	ErrNodeExists = errors.New("the node exists")
	ErrBadVersion = errors.New("another version is stored")
	ErrNotEmpty   = errors.New("the node has children")
	ErrNoAuth     = errors.New("not permitted by the node's ACL")
	ErrAuthFailed = errors.New("authentication refused")

	// ErrEphemeralParent means that a node was to be created below an
	// ephemeral one.
	ErrEphemeralParent = errors.New("an ephemeral node can't have children")
)

// What becomes of a request that isn't answered. Match with [errors.Is]; the
// error is an [Error].
var (
	// ErrConnectionLoss means that the connection ended before the answer
	// came, or that there is none. The request may have been applied, unless
	// Error.Unsent says otherwise; the session may go on.
	ErrConnectionLoss = errors.New("connection lost")

	// ErrSessionExpired means that the session has ended, and its ephemeral
	// nodes with it. The request isn't sent in another session.
	ErrSessionExpired = errors.New("session expired")

	// ErrClosed means that the Client is closed.
	ErrClosed = errors.New("client closed")

	// ErrTooLarge means that the request is larger than the server takes, or
	// the value larger than its bound. Nothing was sent.
	ErrTooLarge = errors.New("too large")
)

// An Error ties a failure to the request that met it.
type Error struct {
	Op   string // as "set"
	Path string // of the node, as the caller gave it

	// Err is one of the sentinels of this package, the context's error, or
	// wraps one of them.
	Err error

	// Unsent tells that the request never left: it certainly isn't applied.
	Unsent bool
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("zkstate: ")
	b.WriteString(e.Op)
	if e.Path != "" {
		b.WriteString(" " + e.Path)
	}
	b.WriteString(": " + e.Err.Error())
	if e.Unsent {
		b.WriteString(" (not sent)")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// A MultiError says which operation made a multi fail, and why. Nothing of the
// multi is applied.
type MultiError struct {
	Index int    // of the operation, from 0
	Of    int    // number of operations
	Op    string // of the operation, as "set"
	Path  string // of its node
	Err   error  // why
}

func (e *MultiError) Error() string {
	return fmt.Sprintf("operation %d of %d, %s %s: %v", e.Index+1, e.Of, e.Op, e.Path, e.Err)
}

func (e *MultiError) Unwrap() error { return e.Err }

// A sizeError is ErrTooLarge with the numbers.
type sizeError struct{ size, limit int }

func (e *sizeError) Error() string {
	return fmt.Sprintf("%d bytes, at most %d are allowed: %v", e.size, e.limit, ErrTooLarge)
}

func (e *sizeError) Unwrap() error { return ErrTooLarge }

// answered pairs the library's errors that are answers of the server with ours.
var answered = []struct{ lib, ours error }{
	{zk.ErrNoNode, ErrNoNode},
	{zk.ErrNodeExists, ErrNodeExists},
	{zk.ErrBadVersion, ErrBadVersion},
	{zk.ErrNotEmpty, ErrNotEmpty},
	{zk.ErrNoAuth, ErrNoAuth},
	{zk.ErrAuthFailed, ErrAuthFailed},
	{zk.ErrNoChildrenForEphemerals, ErrEphemeralParent},
	{zk.ErrSessionExpired, ErrSessionExpired},
}

// final holds the errors of the library that tell of the request, not of the
// connection: repeating it gives the same.
var final = []error{
	zk.ErrInvalidPath, zk.ErrInvalidACL, zk.ErrInvalidFlags, zk.ErrBadArguments, zk.ErrAPIError,
	zk.ErrShortBuffer, zk.ErrUnhandledFieldType, zk.ErrUnknown, zk.ErrReconfigDisabled, zk.ErrNothing,
}

// cause turns an error of the library into one of this package.
func cause(err error) error {
	if err == nil {
		return nil
	}
	for _, a := range answered {
		if errors.Is(err, a.lib) {
			return a.ours
		}
	}
	for _, f := range final {
		if errors.Is(err, f) {
			return err
		}
	}
	if code, ok := strings.CutPrefix(err.Error(), "unknown error: "); ok {
		if _, e := strconv.Atoi(code); e == nil {
			return fmt.Errorf("the server answered with code %s", code)
		}
	}
	// What is left comes from the connection: closed, moved, or the error of a
	// write as the socket gave it.
	return fmt.Errorf("%w: %w", ErrConnectionLoss, err)
}

// abandoned is the error of a request whose caller's ctx ended.
func abandoned(ctx context.Context, req Request, unsent bool) error {
	err := ctx.Err()
	if !unsent {
		err = fmt.Errorf("outcome unknown: %w", err)
	}
	return &Error{Op: req.op(), Path: req.node(), Err: err, Unsent: unsent}
}

// unsent is the error of a request that isn't sent because of err.
func unsent(req Request, err error) error {
	return &Error{Op: req.op(), Path: req.node(), Err: err, Unsent: true}
}

// lost reports whether a request with this error has to be repeated: the
// connection or the session ended.
func lost(err error) bool {
	return errors.Is(err, ErrConnectionLoss) || errors.Is(err, ErrSessionExpired)
}

// neverLeft reports whether err tells that the request wasn't sent.
func neverLeft(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Unsent
}
