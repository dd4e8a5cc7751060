package realservers

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/alteruserscramcredentials"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// A SecureListener is a SASL_SSL listener that every broker has beside the one
// in plain text, with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.
type SecureListener struct {
	// Users are the passwords of those that may log in by PLAIN. For SCRAM there
	// is [Kafka.SetPassword]. Neither may contain a quote or a backslash.
	Users map[string]string

	// MaxReauth is the time after which a broker closes a connection that hasn't
	// authenticated again, at the next request on it. Default: never.
	MaxReauth time.Duration
}

// secureName is the name of the listener.
const secureName = "SECURE"

// properties returns what the listener at addr adds to those in base, and writes
// the key to dir.
func (s *SecureListener) properties(dir, addr string, cert certificate, base map[string]string) (map[string]string, error) {
	keys := filepath.Join(dir, "server.pem")
	if err := os.WriteFile(keys, cert.server, 0o600); err != nil {
		return nil, err
	}
	var users strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Users)) {
		fmt.Fprintf(&users, ` user_%s="%s"`, name, s.Users[name])
	}
	const scramModule = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
	prefix := "listener.name." + strings.ToLower(secureName) + "."
	p := map[string]string{
		"listeners":                      base["listeners"] + "," + secureName + "://" + addr,
		"advertised.listeners":           base["advertised.listeners"] + "," + secureName + "://" + addr,
		"listener.security.protocol.map": base["listener.security.protocol.map"] + "," + secureName + ":SASL_SSL",

		prefix + "ssl.keystore.type":                       "PEM",
		prefix + "ssl.keystore.location":                   keys,
		prefix + "sasl.enabled.mechanisms":                 "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
		prefix + "plain.sasl.jaas.config":                  "org.apache.kafka.common.security.plain.PlainLoginModule required" + users.String() + ";",
		prefix + "scram-sha-256.sasl.jaas.config":          scramModule,
		prefix + "scram-sha-512.sasl.jaas.config":          scramModule,
		"connection.failed.authentication.delay.ms":        "100",
		prefix + "plain.connections.max.reauth.ms":         millis(s.MaxReauth),
		prefix + "scram-sha-256.connections.max.reauth.ms": millis(s.MaxReauth),
		prefix + "scram-sha-512.connections.max.reauth.ms": millis(s.MaxReauth),
	}
	return p, nil
}

func millis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// SecureBrokers returns the addresses of the brokers' secure listeners.
func (k *Kafka) SecureBrokers() []string { return slices.Clone(k.secure) }

// CA returns the certificate, in PEM, that the secure listeners' are signed by.
func (k *Kafka) CA() []byte { return slices.Clone(k.cert.authority) }

// iterations is Kafka's own least number of them.
const iterations = 4096

// SetPassword sets a user's password for SCRAM-SHA-256 and SCRAM-SHA-512, and
// returns when every broker that runs accepts it.
func (k *Kafka) SetPassword(ctx context.Context, user, password string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, adminTimeout, fmt.Errorf("not done after %s", adminTimeout))
	defer cancel()
	salt := make([]byte, 16)
	rand.Read(salt)
	salted256, err256 := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	salted512, err512 := pbkdf2.Key(sha512.New, password, salt, iterations, sha512.Size)
	if err := errors.Join(err256, err512); err != nil {
		return err
	}
	wrap := func(err error) error { return fmt.Errorf("realservers: password of %s: %w", user, err) }
	for _, u := range []alteruserscramcredentials.RequestUserScramCredentialsUpsertion{
		{Name: user, Mechanism: 1, Iterations: iterations, Salt: salt, SaltedPassword: salted256},
		{Name: user, Mechanism: 2, Iterations: iterations, Salt: salt, SaltedPassword: salted512},
	} { // a request may name a user once
		if err := k.anyBroker(func(addr string) error { return alterUser(ctx, addr, u) }); err != nil {
			return wrap(err)
		}
	}
	for _, algorithm := range []scram.Algorithm{scram.SHA256, scram.SHA512} {
		m, err := scram.Mechanism(algorithm, user, password)
		if err != nil {
			return wrap(err)
		}
		if err := k.awaitLogin(ctx, m); err != nil {
			return wrap(err)
		}
	}
	return nil
}

func alterUser(ctx context.Context, addr string, u alteruserscramcredentials.RequestUserScramCredentialsUpsertion) error {
	req := &alteruserscramcredentials.Request{Upsertions: []alteruserscramcredentials.RequestUserScramCredentialsUpsertion{u}}
	res, err := ask[*alteruserscramcredentials.Response](ctx, addr, 0, req)
	if err != nil {
		return err
	}
	for _, r := range res.Results {
		if r.ErrorCode != 0 {
			return brokerError(r.ErrorCode, r.ErrorMessage)
		}
	}
	return nil
}

// awaitLogin waits until every broker that runs accepts m.
func (k *Kafka) awaitLogin(ctx context.Context, m sasl.Mechanism) error {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(k.cert.authority)
	dialer := kafka.Dialer{Timeout: askTimeout, TLS: &tls.Config{RootCAs: pool}, SASLMechanism: m}
	for i, n := range k.nodes {
		for n.answers() {
			conn, err := dialer.DialContext(ctx, "tcp", k.secure[i])
			if err == nil {
				conn.Close()
				break
			}
			if cause := sleep(ctx, askInterval); cause != nil {
				return fmt.Errorf("%s: %w (%w)", n.name, cause, err)
			}
		}
	}
	return nil
}
