package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
)

func TestRefusals(t *testing.T) {
	m := plain.Mechanism{Username: "u", Password: "secret"}
	alert := &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}
	for _, tt := range []struct {
		err       error
		mechanism sasl.Mechanism
		want      string
	}{
		{io.EOF, m, ""},
		{context.DeadlineExceeded, m, ""},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, m, ""},
		{kafka.LeaderNotAvailable, m, ""},
		{kafka.SASLAuthenticationFailed, nil, ""},
		{fmt.Errorf("%w: invalid credentials", kafka.SASLAuthenticationFailed), m, "PLAIN"},
		{kafka.UnsupportedSASLMechanism, m, "PLAIN"},
		{&challengeError{errors.New("the broker doesn't know the password")}, m, "PLAIN"},
		{&tls.CertificateVerificationError{Err: errors.New("unknown authority")}, m, "TLS"},
		{&tls.CertificateVerificationError{Err: errors.New("unknown authority")}, nil, "TLS"},
		{alert, nil, "TLS"},
	} {
		if got := refusedBy(fmt.Errorf("wrapped: %w", tt.err), tt.mechanism); got != tt.want {
			t.Errorf("%v: refused by %q, want %q", tt.err, got, tt.want)
		}
	}
}

// A broken mechanism fails at its start or at the first challenge.
type broken struct{ atStart bool }

var errBroken = errors.New("broken")

func (broken) Name() string { return "BROKEN" }

func (b broken) Start(context.Context) (sasl.StateMachine, []byte, error) {
	if b.atStart {
		return nil, nil, errBroken
	}
	return b, nil, nil
}

func (broken) Next(context.Context, []byte) (bool, []byte, error) { return false, nil, errBroken }

func TestChallengeErrorsAreTold(t *testing.T) {
	if checking(nil) != nil {
		t.Error("no mechanism became one")
	}
	for _, b := range []broken{{atStart: true}, {}} {
		s, _, err := checking(b).Start(t.Context())
		if err == nil {
			_, _, err = s.Next(t.Context(), nil)
		}
		if _, ok := errors.AsType[*challengeError](err); !ok || !errors.Is(err, errBroken) {
			t.Errorf("%+v: %v, want a challengeError", b, err)
		}
	}
}
