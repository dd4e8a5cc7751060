package zkstate

import (
	"context"
	"errors"
	"sync/atomic"
)

// A batch is the requests of one Do and what came of them. Its calls outlive
// the Do whose ctx ended, and then answer into the batch, which nobody reads.
type batch struct {
	requests  []Request
	responses []Response // at i once i was received from answers
	answers   chan int   // indexes, each once; has room for all
}

func newBatch(n int) *batch {
	return &batch{requests: make([]Request, n), responses: make([]Response, n), answers: make(chan int, n)}
}

// A call is one request of a batch on its way.
type call struct {
	batch *batch
	index int
	gen   int // connection on which it is to go out

	answered atomic.Bool
}

func (c *call) request() Request { return c.batch.requests[c.index] }

// deliver answers the call, once: by whoever comes first of the library and the
// end of the connection. It doesn't block.
func (c *call) deliver(resp Response) {
	if c.answered.CompareAndSwap(false, true) {
		c.batch.responses[c.index] = resp
		c.batch.answers <- c.index
	}
}

// send sends reqs on one connection of s, in order, and returns their
// responses. Once one of them isn't sent, no later one is: what is applied of a
// batch is a prefix of it, but for requests that the server refuses.
func (c *Client) send(ctx context.Context, s *session, reqs []Request) []Response {
	b := newBatch(len(reqs))
	out := make([]Response, len(reqs))
	is := s.look()
	sent := 0
	for i, req := range reqs {
		if err := c.refuse(req); err != nil {
			out[i] = req.fail(unsent(req, err))
			continue
		}
		var err error
		switch {
		case is.gone != nil:
			err = is.gone
		case !is.connected:
			err = ErrConnectionLoss
		default:
			b.requests[i] = req.own()
			err = c.launch(ctx, s, &call{batch: b, index: i, gen: is.gen})
		}
		if err != nil {
			failRest(reqs, out, i, err)
			break
		}
		sent++
	}
	for range sent {
		select {
		case i := <-b.answers:
			out[i] = b.responses[i]
			continue
		default:
		}
		select {
		case i := <-b.answers:
			out[i] = b.responses[i]
		case <-ctx.Done():
			for i, req := range reqs {
				if out[i] == nil {
					out[i] = req.fail(abandoned(ctx, req, false))
				}
			}
			return out
		}
	}
	return out
}

// failRest answers everything from i on with err: it isn't sent.
func failRest(reqs []Request, out []Response, i int, err error) {
	for ; i < len(reqs); i++ {
		out[i] = reqs[i].fail(unsent(reqs[i], err))
	}
}

// refuse says why req can't be sent at all, or nil.
func (c *Client) refuse(req Request) error {
	if err := checkPaths(req); err != nil {
		return err
	}
	if n := req.size() + roots(req, c.servers.chroot); n > c.cfg.MaxRequest {
		return &sizeError{size: n, limit: c.cfg.MaxRequest}
	}
	return nil
}

// launch starts the call of one request when it has a permit and its turn. It
// returns without waiting for the frame: the next launch on this session does.
// On an error the request isn't sent, and permit and turn are back.
func (c *Client) launch(ctx context.Context, s *session, cl *call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := acquire(ctx, s, cl.gen, c.permits); err != nil {
		return err
	}
	err := acquire(ctx, s, cl.gen, s.turn)
	if err == nil {
		err = s.launch(cl)
	}
	if err != nil {
		c.permits <- struct{}{}
		return err
	}
	go func() {
		req := cl.request()
		resp := req.call(s.conn, c.servers.chroot)
		s.returned(cl)
		cl.deliver(s.explain(req, resp))
		c.permits <- struct{}{}
	}()
	return nil
}

// acquire takes a token, as long as connection gen of s lasts.
func acquire(ctx context.Context, s *session, gen int, tokens <-chan struct{}) error {
	for {
		select {
		case <-tokens:
			return nil
		default:
		}
		is := s.look()
		switch {
		case is.gone != nil:
			return is.gone
		case !is.connected || gen != is.gen:
			return ErrConnectionLoss
		}
		select {
		case <-tokens:
			return nil
		case <-is.changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// explain replaces the loss of a connection by the reason that the session is
// over, if it is: expired, or closed.
func (s *session) explain(req Request, resp Response) Response {
	if err := resp.Err(); err == nil || !errors.Is(err, ErrConnectionLoss) {
		return resp
	}
	if gone := s.look().gone; gone != nil {
		return req.fail(&Error{Op: req.op(), Path: req.node(), Err: gone})
	}
	return resp
}
