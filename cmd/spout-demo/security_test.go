package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kspout/kspout/spouttest"
)

const rightPassword = "right-horse-battery"

// A selfSigned is a certificate that vouches for itself, in files and at hand.
type selfSigned struct {
	pair      tls.Certificate
	pool      *x509.CertPool
	cert, key string
}

func newSelfSigned(t *testing.T) selfSigned {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := selfSigned{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), pool: x509.NewCertPool()}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	for path, text := range map[string][]byte{s.cert: certPEM, s.key: keyPEM} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.pair, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
		t.Fatal(err)
	}
	s.pool.AppendCertsFromPEM(certPEM)
	return s
}

// secured starts a cluster whose brokers want TLS and a login by any mechanism.
func secured(t *testing.T, cfg *tls.Config) *spouttest.Cluster {
	t.Helper()
	opts := []kfake.Opt{kfake.EnableSASL(), kfake.TLS(cfg)}
	for _, m := range []string{mechanismPlain, mechanismScram256, mechanismScram512} {
		opts = append(opts, kfake.Superuser(m, "alice", rightPassword))
	}
	return spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}, Kafka: opts})
}

func login(ca, mechanism string) []string {
	return []string{"--tls", "--tls-ca", ca, "--sasl-mechanism", mechanism, "--sasl-user", "alice"}
}

// TestLogin has nothing of wrong passwords: kfake closes the connection then,
// where a Kafka answers. internal/integration has them.
func TestLogin(t *testing.T) {
	server := newSelfSigned(t)
	for _, m := range []string{"plain", "SCRAM-SHA-256", "scram-sha-512"} {
		c := secured(t, &tls.Config{Certificates: []tls.Certificate{server.pair}})
		t.Setenv(passwordVariable, rightPassword)
		if got := ok(t, "x\n", append(at(c, "produce", "-t", "t"), login(server.cert, m)...)...); got != "t[0]@0\n" {
			t.Errorf("%s: produce wrote %q", m, got)
		}
		if got := ok(t, "", append(at(c, "tail", "-t", "t", "-e"), login(server.cert, m)...)...); got != "x\n" {
			t.Errorf("%s: tail wrote %q, want x", m, got)
		}
	}
}

// refused runs a command that a broker has to refuse: one clear error, soon, and
// no secret in it.
func refused(t *testing.T, c *spouttest.Cluster, mechanism string, args ...string) {
	t.Helper()
	began := time.Now()
	code, stdout, stderr := cli(t, "x\n", args...)
	if code != exitError || stdout != "" {
		t.Errorf("%v ended with %d and wrote %q, want %d and nothing", args, code, stdout, exitError)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("%v took %v", args, d)
	}
	if !strings.Contains(stderr, c.Brokers()[0]) || strings.Count(stderr, "authentication by "+mechanism) != 1 {
		t.Errorf("%v said %q, want the broker, and once the mechanism", args, stderr)
	}
	if strings.Contains(stderr, rightPassword) {
		t.Errorf("%v told a secret: %s", args, stderr)
	}
}

func TestCertificates(t *testing.T) {
	server, client, stranger := newSelfSigned(t), newSelfSigned(t), newSelfSigned(t)
	c := spouttest.Start(t, spouttest.Config{Topics: map[string]int{"t": 1}, Kafka: []kfake.Opt{kfake.TLS(&tls.Config{
		Certificates: []tls.Certificate{server.pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: client.pool,
	})}})
	mine := []string{"--tls", "--tls-ca", server.cert, "--tls-cert", client.cert, "--tls-key", client.key}
	ok(t, "x\n", append(at(c, "produce", "-t", "t"), mine...)...)
	if got := ok(t, "", append(at(c, "tail", "-t", "t", "-e"), mine...)...); got != "x\n" {
		t.Errorf("tail wrote %q, want x", got)
	}
	for name, args := range map[string][]string{
		"a broker that isn't trusted": {"--tls", "--tls-ca", stranger.cert, "--tls-cert", client.cert, "--tls-key", client.key},
		"no certificate":              {"--tls", "--tls-ca", server.cert},
		"another's certificate":       {"--tls", "--tls-ca", server.cert, "--tls-cert", stranger.cert, "--tls-key", stranger.key},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c, "TLS", append(at(c, "tail", "-t", "t"), args...)...) })
	}
}

func TestWrongSecurityUsage(t *testing.T) {
	own := newSelfSigned(t)
	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	if err := os.WriteFile(garbage, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ password, args, want string }{
		{"x", "--sasl-mechanism PLAIN", "--sasl-user"},
		{"", "--sasl-mechanism PLAIN --sasl-user u", passwordVariable},
		{"x", "--sasl-user u", "--sasl-mechanism"},
		{"x", "--sasl-mechanism GSSAPI --sasl-user u", "GSSAPI"},
		{"\x07", "--sasl-mechanism SCRAM-SHA-256 --sasl-user u", "SCRAM-SHA-256"},
		{"", "--tls-ca " + own.cert, "--tls-ca needs --tls"},
		{"", "--tls-cert " + own.cert, "--tls-cert needs --tls"},
		{"", "--tls-key " + own.key, "--tls-key needs --tls"},
		{"", "--tls --tls-cert " + own.cert, "--tls-cert needs --tls-key"},
		{"", "--tls --tls-key " + own.key, "--tls-key needs --tls-cert"},
		{"", "--tls --tls-ca nowhere.pem", "nowhere.pem"},
		{"", "--tls --tls-ca " + garbage, "no certificate"},
		{"", "--tls --tls-cert nowhere.pem --tls-key " + own.key, "nowhere.pem"},
		{"", "--tls --tls-cert " + own.cert + " --tls-key " + garbage, "--tls-key"},
	} {
		t.Setenv(passwordVariable, tt.password)
		for _, cmd := range []string{"tail", "produce"} {
			code, _, stderr := cli(t, "", append([]string{cmd, "-t", "t"}, strings.Fields(tt.args)...)...)
			if code != exitUsage || !strings.Contains(stderr, tt.want) {
				t.Errorf("%s %s ended with %d and said %q, want %d and %q", cmd, tt.args, code, stderr, exitUsage, tt.want)
			}
		}
	}
}

// TestPasswordIsNoFlag looks for it where others could read it.
func TestPasswordIsNoFlag(t *testing.T) {
	t.Setenv(passwordVariable, rightPassword)
	for _, cmd := range []string{"tail", "produce"} {
		if help := ok(t, "", cmd, "--help"); strings.Contains(help, rightPassword) || !strings.Contains(help, passwordVariable) {
			t.Errorf("%s --help: %s", cmd, help)
		}
	}
}
