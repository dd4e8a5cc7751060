package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kgo"
	kgosasl "github.com/twmb/franz-go/pkg/sasl"
	kgoplain "github.com/twmb/franz-go/pkg/sasl/plain"
	kgoscram "github.com/twmb/franz-go/pkg/sasl/scram"
)

// passwordVariable holds the password, which is no flag: others on the machine
// can read those.
const passwordVariable = "SPOUT_SASL_PASSWORD"

// Mechanisms of SASL.
const (
	mechanismPlain    = "PLAIN"
	mechanismScram256 = "SCRAM-SHA-256"
	mechanismScram512 = "SCRAM-SHA-512"
)

// securityFlags say how to talk to brokers, as they were given.
type securityFlags struct {
	tls             bool
	ca, cert, key   string // files
	mechanism, user string
}

func (f *securityFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.tls, "tls", false, "encrypt the connections to brokers")
	fs.StringVar(&f.ca, "tls-ca", "", "trust these certificates only, a PEM `file` (default: the system's)")
	fs.StringVar(&f.cert, "tls-cert", "", "show this certificate to brokers, a PEM `file`; with --tls-key")
	fs.StringVar(&f.key, "tls-key", "", "the key of --tls-cert, a PEM `file`")
	fs.StringVar(&f.mechanism, "sasl-mechanism", "", "log in at brokers by this `mechanism`: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
	fs.StringVar(&f.user, "sasl-user", "", "log in as this `user`, with the password in the environment: "+passwordVariable)
}

// A security is what securityFlags mean.
type security struct {
	tls                       *tls.Config // nil: plain text
	mechanism, user, password string      // no mechanism: no login
}

// parse returns what the flags mean. Files without --tls are refused, lest
// somebody takes a connection for encrypted that isn't.
func (f *securityFlags) parse() (security, error) {
	s := security{mechanism: strings.ToUpper(f.mechanism), user: f.user}
	var err error
	if s.tls, err = f.parseTLS(); err != nil {
		return s, err
	}
	switch s.mechanism {
	case mechanismPlain, mechanismScram256, mechanismScram512:
	case "":
		if f.user != "" {
			return s, usagef("--sasl-user needs --sasl-mechanism")
		}
		return s, nil
	default:
		return s, usagef("--sasl-mechanism is %q: want PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", f.mechanism)
	}
	if s.user == "" {
		return s, usagef("--sasl-mechanism needs --sasl-user")
	}
	if s.password = os.Getenv(passwordVariable); s.password == "" {
		return s, usagef("--sasl-mechanism needs the password in the environment: %s", passwordVariable)
	}
	_, err = s.sasl()
	return s, err
}

func (f *securityFlags) parseTLS() (*tls.Config, error) {
	if !f.tls {
		for _, file := range []struct{ flag, value string }{{"--tls-ca", f.ca}, {"--tls-cert", f.cert}, {"--tls-key", f.key}} {
			if file.value != "" {
				return nil, usagef("%s needs --tls", file.flag)
			}
		}
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		pem, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, usagef("--tls-ca: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usagef("--tls-ca: %s: no certificate in PEM", f.ca)
		}
	}
	switch {
	case f.cert == "" && f.key == "":
	case f.key == "":
		return nil, usagef("--tls-cert needs --tls-key")
	case f.cert == "":
		return nil, usagef("--tls-key needs --tls-cert")
	default:
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, usagef("--tls-cert and --tls-key: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// sasl returns the mechanism for a spout, nil for none.
func (s security) sasl() (sasl.Mechanism, error) {
	algorithm := scram.SHA256
	switch s.mechanism {
	case "":
		return nil, nil
	case mechanismPlain:
		return plain.Mechanism{Username: s.user, Password: s.password}, nil
	case mechanismScram512:
		algorithm = scram.SHA512
	}
	m, err := scram.Mechanism(algorithm, s.user, s.password)
	if err != nil { // it may hold the password
		return nil, usagef("--sasl-user or the password has characters that %s can't send", s.mechanism)
	}
	return m, nil
}

// opts returns the options of a producer.
func (s security) opts() []kgo.Opt {
	var opts []kgo.Opt
	if s.tls != nil {
		opts = append(opts, kgo.DialTLSConfig(s.tls))
	}
	var m kgosasl.Mechanism
	switch s.mechanism {
	case "":
		return opts
	case mechanismPlain:
		m = kgoplain.Auth{User: s.user, Pass: s.password}.AsMechanism()
	case mechanismScram256:
		m = kgoscram.Auth{User: s.user, Pass: s.password}.AsSha256Mechanism()
	case mechanismScram512:
		m = kgoscram.Auth{User: s.user, Pass: s.password}.AsSha512Mechanism()
	}
	return append(opts, kgo.SASL(m))
}
