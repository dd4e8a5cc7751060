package spout

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/kspout/kspout/fetch"
)

// ErrRunTwice means that Run was called a second time.
var ErrRunTwice = errors.New("spout: Run was called before; make a new Spout")

// A Spout reads the partitions of some topics and hands each record to a
// [Handler] as a [Tuple]. Its methods may be called concurrently.
type Spout struct {
	cfg     Config
	handler Handler
	events  Events // with log lines
	ran     atomic.Bool
	roster  roster
	last    atomic.Pointer[[]PartitionStatus] // at the end of Run
}

// New returns a Spout that is ready to [Spout.Run]. It only checks its arguments:
// it opens no connection and starts no goroutine. The error joins a [ConfigError]
// for each fault.
func New(cfg Config, h Handler) (*Spout, error) {
	err := cfg.Validate()
	err = errors.Join(err, checkHandler(h))
	if err != nil {
		return nil, err
	}
	s := &Spout{cfg: cfg.withDefaults(), handler: h}
	s.events = logged(cfg.Events, s.cfg.Logger, cfg.CrashOnPanic)
	s.roster.init()
	return s, nil
}

// Run reads until ctx ends, and returns with every goroutine ended that it
// started. It may be called once.
//
// Told to stop, it hands out nothing more, waits [Config].DrainTimeout at most for
// what is with the user, commits, and returns nil if that succeeded, else what
// wasn't committed. What wasn't acked by then comes again. A Handler that hasn't
// returned then, though its context has ended, holds Run up. It ends by itself if Kafka or the store can't be reached at
// the start, at once if Kafka refuses us, which is a [fetch.AuthenticationError],
// if [Config].StopAtEnd says so, and when no partition is left because all have
// stopped by an error. A partition that stops by an error doesn't stop the others;
// Run's error tells it in the end, [Events].Stopped at once.
func (s *Spout) Run(ctx context.Context) error {
	if s.ran.Swap(true) {
		return ErrRunTwice
	}
	store, closeStore, err := s.openStore(ctx)
	if err != nil || store == nil {
		return err
	}
	defer closeStore()

	var wg sync.WaitGroup
	defer wg.Wait()
	kafka, stopKafka := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKafka()
	client := fetch.New(s.fetchConfig())
	wg.Go(func() { client.Run(kafka) })

	work := newLifetime(ctx, s.cfg.DrainTimeout)
	defer work.end()
	if b, ok := s.handler.(background); ok {
		wg.Go(func() { b.run(work.handling) })
	}

	r := &running{Spout: s, client: client, store: store, lifetime: work}
	return r.run()
}

func (s *Spout) fetchConfig() fetch.Config {
	isolation := fetch.ReadCommitted
	if s.cfg.Isolation == ReadUncommitted {
		isolation = fetch.ReadUncommitted
	}
	return fetch.Config{
		Brokers: s.cfg.Brokers, ClientID: s.cfg.ID, TLS: s.cfg.TLS, SASL: s.cfg.SASL, Isolation: isolation,
		MaxWait: s.cfg.MaxWait, MetadataMaxAge: s.cfg.MetadataMaxAge,
		MaxPartitionBytes: s.cfg.MaxPartitionBytes, MaxBufferedBytes: s.cfg.MaxBufferedBytes,
		Logger: *s.cfg.Logger, Dial: s.cfg.Dial,
	}
}
