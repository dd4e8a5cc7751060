package zkstate

import (
	"context"
	"errors"
)

// Retry is Do that waits for a connection and repeats what was lost with one,
// in order, until ctx ends. It stays in the session that is current when it's
// called: when that expires, what isn't answered has ErrSessionExpired.
//
// A request is applied at least once: where its first answer was lost, the
// repetition may meet its own effect, as ErrNodeExists, ErrBadVersion or
// ErrNoNode.
func (c *Client) Retry(ctx context.Context, requests ...Request) []Response {
	s := c.session.Load()
	out := make([]Response, len(requests))
	left := make([]bool, len(requests)) // was on its way once
	from := 0
	for n := 0; ; n++ {
		if err := s.await(ctx); err != nil {
			for i := from; i < len(requests); i++ {
				out[i] = giveUp(requests[i], err, left[i])
			}
			return out
		}
		if n > 1 && redial.wait(ctx, n-2) != nil {
			continue // await tells why
		}
		copy(out[from:], c.send(ctx, s, requests[from:]))
		first := len(requests)
		for i := len(requests) - 1; i >= from; i-- {
			err := out[i].Err()
			if err != nil && !neverLeft(err) {
				left[i] = true
			} else if err != nil && left[i] {
				out[i] = requests[i].fail(&Error{Op: requests[i].op(), Path: requests[i].node(), Err: errors.Unwrap(err)})
			}
			if errors.Is(err, ErrConnectionLoss) {
				first = i
			}
		}
		if from = first; from == len(requests) {
			return out
		}
	}
}

// giveUp is the response to a request that isn't repeated any more.
func giveUp(req Request, err error, left bool) Response {
	return req.fail(&Error{Op: req.op(), Path: req.node(), Err: err, Unsent: !left})
}

// await waits until requests can be sent in s. It returns ctx's error, or why
// the session is over.
func (s *session) await(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		is := s.look()
		switch {
		case is.gone != nil:
			return is.gone
		case is.connected:
			return nil
		}
		select {
		case <-is.changed:
		case <-ctx.Done():
		}
	}
}
