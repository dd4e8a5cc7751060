package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
)

// An AuthenticationError says that a broker and this client don't accept each
// other: a wrong password, a mechanism that the broker doesn't know, a
// certificate that either side refuses. It names no secret. At runtime it is
// retried like any broker that doesn't answer; [Client.Topics] returns it at
// once. Find it with [errors.AsType].
type AuthenticationError struct {
	Broker    string // host:port
	Mechanism string // TLS, or that of SASL
	Err       error
}

func (e *AuthenticationError) Error() string {
	return fmt.Sprintf("broker %s: authentication by %s: %v", e.Broker, e.Mechanism, e.Err)
}

func (e *AuthenticationError) Unwrap() error { return e.Err }

// exchangeError returns err, which ended an exchange with b, with the broker's
// name.
func (b *broker) exchangeError(err error) error {
	if m := refusedBy(err, b.client.cfg.SASL); m != "" {
		return &AuthenticationError{Broker: b.addr, Mechanism: m, Err: err}
	}
	return fmt.Errorf("broker %s: %w", b.addr, err)
}

// remoteError is the operation that crypto/tls gives to an alert of the other
// side, such as one about our certificate.
const remoteError = "remote error"

// refusedBy returns the mechanism by which either side has refused the other, ""
// if err is something else.
func refusedBy(err error, mechanism sasl.Mechanism) string {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "TLS"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == remoteError {
		return "TLS"
	}
	if mechanism == nil {
		return ""
	}
	_, ours := errors.AsType[*challengeError](err)
	if ours || errors.Is(err, kafka.SASLAuthenticationFailed) || errors.Is(err, kafka.UnsupportedSASLMechanism) {
		return mechanism.Name()
	}
	return ""
}

// checking returns m with its own errors told apart from those of the network;
// nil for nil.
func checking(m sasl.Mechanism) sasl.Mechanism {
	if m == nil {
		return nil
	}
	return checkingMechanism{m}
}

type checkingMechanism struct{ sasl.Mechanism }

// Start implements [sasl.Mechanism].
func (m checkingMechanism) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	s, first, err := m.Mechanism.Start(ctx)
	if err != nil {
		return nil, nil, &challengeError{err}
	}
	return checkingState{s}, first, nil
}

type checkingState struct{ sasl.StateMachine }

// Next implements [sasl.StateMachine].
func (s checkingState) Next(ctx context.Context, challenge []byte) (bool, []byte, error) {
	done, response, err := s.StateMachine.Next(ctx, challenge)
	if err != nil {
		err = &challengeError{err}
	}
	return done, response, err
}

// A challengeError is why our side of SASL gave up, such as a broker that can't
// prove that it knows the password.
type challengeError struct{ err error }

func (e *challengeError) Error() string { return e.err.Error() }

func (e *challengeError) Unwrap() error { return e.err }
