package integration

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kspout/kspout/fetch"
	"github.com/kspout/kspout/internal/realservers"
	"github.com/kspout/kspout/spout"
)

// passwordVariable holds the password of a spout-demo.
const passwordVariable = "SPOUT_SASL_PASSWORD"

const (
	user     = "alice"
	password = "wonderland-4711"
	wrong    = "looking-glass-0815"
)

// reauth is the age of a connection at which the secure broker closes it.
const reauth = 3 * time.Second

// A securedServer is a broker with a SASL_SSL listener.
type securedServer struct {
	servers
	ca string // file
}

func startSecured(t *testing.T) securedServer {
	t.Helper()
	realservers.Require(t)
	s := securedServer{ca: filepath.Join(t.TempDir(), "ca.pem")}
	s.kafka = realservers.StartKafka(t, realservers.KafkaOptions{Secure: &realservers.SecureListener{
		Users: map[string]string{user: password}, MaxReauth: reauth,
	}})
	s.zk = sharedZooKeeper.Get(t)
	if err := s.kafka.SetPassword(t.Context(), user, password); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.ca, s.kafka.CA(), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// flags returns those of spout-demo.
func (s securedServer) flags(ca, mechanism string) []string {
	return []string{"-b", s.kafka.SecureBrokers()[0], "--tls", "--tls-ca", ca, "--sasl-mechanism", mechanism, "--sasl-user", user}
}

// config returns that of a spout which logs in by SCRAM-SHA-512.
func (s securedServer) config(t *testing.T, topic, password string, log *transcript) spout.Config {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(s.kafka.CA())
	return spout.Config{
		Brokers: s.kafka.SecureBrokers(), ZooKeeper: s.zk.Addrs(), Root: root, ID: id, Topics: []string{topic},
		TLS: &tls.Config{RootCAs: pool}, SASL: mechanism(t, "SCRAM-SHA-512", password),
		CommitInterval: 50 * time.Millisecond, MetadataMaxAge: time.Second,
		Logger: new(zerolog.New(log).Level(zerolog.TraceLevel)),
	}
}

func mechanism(t *testing.T, name, password string) sasl.Mechanism {
	t.Helper()
	algorithm := scram.SHA256
	switch name {
	case "PLAIN":
		return plain.Mechanism{Username: user, Password: password}
	case "SCRAM-SHA-512":
		algorithm = scram.SHA512
	}
	m, err := scram.Mechanism(algorithm, user, password)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mechanisms are those that a broker speaks; spout-demo takes them in any case.
var mechanisms = []string{"PLAIN", "scram-sha-256", "SCRAM-SHA-512"}

func TestRealSecurity(t *testing.T) {
	s := startSecured(t)
	for _, m := range mechanisms {
		t.Run(m, func(t *testing.T) { testLogin(t, s, m) })
		t.Run(m+" wrong password", func(t *testing.T) { testWrongPassword(t, s, m) })
	}
	t.Run("wrong CA", func(t *testing.T) { testWrongCA(t, s) })
	t.Run("library", func(t *testing.T) { testLibraryWrongPassword(t, s) })
	t.Run("re-authentication", func(t *testing.T) { testReauthentication(t, s) })
	t.Run("password changed", func(t *testing.T) { testPasswordChanged(t, s) })
}

// testLogin produces and tails by spout-demo.
func testLogin(t *testing.T, s securedServer, mechanism string) {
	t.Setenv(passwordVariable, password)
	topic := fresh("login")
	s.topic(t, topic, 1, nil)
	out, said, code := spoutDemo(t, "a\nb\n", append([]string{"produce", "-t", topic}, s.flags(s.ca, mechanism)...)...)
	if want := fmt.Sprintf("%s[0]@0\n%s[0]@1\n", topic, topic); code != 0 || out != want {
		t.Fatalf("produce: exit code %d, wrote %q, want %q; it said %s", code, out, want, said)
	}
	tl := s.startTail(t, topic, unlimited, append(s.flags(s.ca, mechanism), "-e")...)
	tl.exits(0)
	ds := tl.deliveries()
	if len(ds) != 2 || string(ds[0].Value) != "a" || string(ds[1].Value) != "b" {
		t.Errorf("tail delivered %v, want a and b", ds)
	}
}

// soon is how long a refusal at the start may take.
const soon = 5 * time.Second

func testWrongPassword(t *testing.T, s securedServer, mechanism string) {
	t.Setenv(passwordVariable, wrong)
	topic := fresh("refused")
	s.topic(t, topic, 1, nil)
	tl := s.startTail(t, topic, unlimited, s.flags(s.ca, mechanism)...)
	began := time.Now()
	tl.exits(1)
	if d := time.Since(began); d > soon {
		t.Errorf("tail took %v to end, want %v at most", d, soon)
	}
	s.refusal(t, tl.said(), strings.ToUpper(mechanism))
	_, said, code := spoutDemo(t, "a\n", append([]string{"produce", "-t", topic}, s.flags(s.ca, mechanism)...)...)
	if code != 1 {
		t.Errorf("produce: exit code %d, want 1", code)
	}
	s.refusal(t, said, strings.ToUpper(mechanism))
}

func testWrongCA(t *testing.T, s securedServer) {
	t.Setenv(passwordVariable, password)
	topic := fresh("distrusted")
	s.topic(t, topic, 1, nil)
	ca := writeAuthority(t)
	tl := s.startTail(t, topic, unlimited, s.flags(ca, "PLAIN")...)
	began := time.Now()
	tl.exits(1)
	if d := time.Since(began); d > soon {
		t.Errorf("tail took %v to end, want %v at most", d, soon)
	}
	s.refusal(t, tl.said(), "TLS")
	_, said, code := spoutDemo(t, "a\n", append([]string{"produce", "-t", topic}, s.flags(ca, "PLAIN")...)...)
	if code != 1 || !strings.Contains(said, "x509") {
		t.Errorf("produce: exit code %d, want 1; it said %s", code, said)
	}
}

// refusal checks that what was said is one clear error without a secret.
func (s securedServer) refusal(t *testing.T, said, mechanism string) {
	t.Helper()
	last := strings.TrimSpace(said)
	last = last[strings.LastIndexByte(last, '\n')+1:]
	for _, want := range []string{s.kafka.SecureBrokers()[0], mechanism, "authentication"} {
		if !strings.Contains(last, want) {
			t.Errorf("its last words don't name %s: %s", want, said)
		}
	}
	if n := strings.Count(said, "authentication by"); n != 1 {
		t.Errorf("it told of the refusal %d times, want once: %s", n, said)
	}
	noSecret(t, said)
}

func noSecret(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{password, wrong} {
		if strings.Contains(text, secret) {
			t.Errorf("a secret is in: %s", text)
		}
	}
}

func testLibraryWrongPassword(t *testing.T, s securedServer) {
	topic := fresh("library")
	s.topic(t, topic, 1, nil)
	for _, m := range mechanisms {
		var log transcript
		cfg := s.config(t, topic, wrong, &log)
		cfg.SASL = mechanism(t, strings.ToUpper(m), wrong)
		sp, err := spout.New(cfg, spout.HandlerFunc(func(context.Context, *spout.Tuple) {}))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		err = sp.Run(t.Context())
		refused, ok := errors.AsType[*fetch.AuthenticationError](err)
		if !ok || refused.Broker != s.kafka.SecureBrokers()[0] || refused.Mechanism != strings.ToUpper(m) {
			t.Errorf("%s: Run: %v, want an AuthenticationError with broker and mechanism", m, err)
		}
		if d := time.Since(began); d > soon {
			t.Errorf("%s: Run took %v, want %v at most", m, d, soon)
		}
		noSecret(t, fmt.Sprintf("%v %+v %#v\n%s", err, err, refused, log.String()))
	}
}

// A securedRun is a spout that reads one partition by a secure listener.
type securedRun struct {
	log   transcript
	dials atomic.Int64 // connections made
	stop  context.CancelFunc
	done  chan error

	mu   sync.Mutex
	seen []int64 // offsets, in the order of their delivery
}

func (s securedServer) run(t *testing.T, topic string) *securedRun {
	t.Helper()
	r := &securedRun{done: make(chan error, 1)}
	cfg := s.config(t, topic, password, &r.log)
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		r.dials.Add(1)
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	sp, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, tu *spout.Tuple) {
		r.mu.Lock()
		r.seen = append(r.seen, tu.Offset())
		r.mu.Unlock()
		tu.Ack()
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		r.done <- sp.Run(ctx)
		close(r.done)
	}()
	t.Cleanup(func() {
		stop()
		<-r.done
	})
	return r
}

func (r *securedRun) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// finish stops the run, and checks that each of n records came once and in order.
func (r *securedRun) finish(t *testing.T, n int) {
	t.Helper()
	r.stop()
	if err := <-r.done; err != nil {
		t.Errorf("Run: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) != n {
		t.Errorf("%d deliveries, want %d", len(r.seen), n)
	}
	for i, o := range r.seen {
		if o != int64(i) {
			t.Fatalf("delivery %d is offset %d: something is lost or repeated", i, o)
		}
	}
	noSecret(t, r.log.String())
}

// testReauthentication has records flow while the broker closes each connection
// every few seconds.
func testReauthentication(t *testing.T, s securedServer) {
	topic := fresh("reauth")
	s.topic(t, topic, 1, nil)
	r := s.run(t, topic)
	producer := s.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*reauth)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	n := 0
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			producer.Produce(t.Context(), &kgo.Record{Topic: topic, Value: fmt.Append(nil, n)}, func(_ *kgo.Record, err error) {
				if err != nil {
					t.Error(err)
				}
			})
			n++
		case <-ctx.Done():
		}
	}
	if err := producer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all records", func() bool { return r.count() >= n })
	r.finish(t, n)
	if got := r.dials.Load(); got < 6 {
		t.Errorf("%d connections were made in %v: the broker closed none", got, 4*reauth)
	}
	if log := r.log.String(); strings.Contains(log, `"level":"warn"`) || strings.Contains(log, `"level":"error"`) {
		t.Errorf("the log warns of what is in order:\n%s", log)
	}
	t.Logf("%d records over %d connections", n, r.dials.Load())
}

// testPasswordChanged changes the password under a running spout, and back. The
// password is the broker's at the end.
func testPasswordChanged(t *testing.T, s securedServer) {
	topic := fresh("changed")
	s.topic(t, topic, 1, nil)
	ends := s.fill(t, topic, []int64{0}, 10)
	r := s.run(t, topic)
	eventually(t, "the first records", func() bool { return r.count() == 10 })
	if err := s.kafka.SetPassword(t.Context(), user, wrong); err != nil {
		t.Fatal(err)
	}
	const refused = "authentication by SCRAM-SHA-512"
	eventually(t, "the log to tell it", func() bool { return strings.Contains(r.log.String(), refused) })
	s.fill(t, topic, ends, 10)
	if err := s.kafka.SetPassword(t.Context(), user, password); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other records", func() bool { return r.count() == 20 })
	eventually(t, "the log to tell that it's over", func() bool {
		return strings.Contains(r.log.String(), "can be looked up again")
	})
	r.finish(t, 20)
	log := r.log.String()
	if n := strings.Count(log, refused); n > 4 {
		t.Errorf("the log tells of the refusal %d times, want it once a part:\n%s", n, log)
	}
}

// spoutDemo runs a spout-demo to its end.
func spoutDemo(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, demo.path(t), args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}
