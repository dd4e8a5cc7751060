package fetch

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	kplain "github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kspout/kspout/internal/batchtest"
	"github.com/kspout/kspout/offsets"
)

// The raw exchange relies on how kafka-go v0.4.51 treats a message that is a
// RawExchanger: no contract of it covers that. Another version needs a look at
// protocol.Conn.RoundTrip, Transport.connect, connPool.sendRequest and discover
// before this is changed.
func TestKafkaGoIsTheOneWeKnow(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mod, []byte("github.com/segmentio/kafka-go v0.4.51\n")) {
		t.Error("kafka-go isn't v0.4.51")
	}
}

// The hook: kafka-go hands our message its connection, as it is, and returns what
// the exchange returned.
func TestRawExchange(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	cs := newConns(nil)
	c := &conn{Conn: client, set: cs, speak: map[int16]versionRange{keyMetadata: {0, 12}}}
	cs.open[c] = struct{}{}
	go func() {
		var r reader
		r.src, r.left = server, 4
		n := int(r.int32())
		r.left = n
		r.take(n)
		// Size, correlation id and tags, then an answer with one broker.
		w := writer{flexible: true}
		w.int32(0)
		w.int32(1)
		w.tags()
		w.int32(0)
		w.array(1)
		w.int32(7)
		w.string("host")
		w.int32(9092)
		w.string("")
		w.tags()
		w.string("")
		w.int32(7)
		w.array(0)
		w.tags()
		size := writer{b: w.b[:0]}
		size.int32(int32(len(w.b) - 4))
		_, _ = server.Write(w.b)
	}()
	pc := protocol.NewConn(c, "test")
	_ = pc.SetDeadline(time.Now().Add(patience))
	m, err := pc.RoundTrip(metadataCall(nil))
	if err != nil {
		t.Fatal(err)
	}
	if l := m.(*answer[*layout]).value; l.brokers[7] != (offsets.Broker{Host: "host", Port: 9092}) {
		t.Errorf("layout %+v, want broker 7", l)
	}
	if _, ok := protocol.Message(metadataCall(nil)).(interface{ Prepare(int16) }); ok {
		t.Error("kafka-go would prepare our messages")
	}
}

// The transport's own metadata requests, which nobody here reads, ask for no
// topic.
func TestTransportAsksForNoTopics(t *testing.T) {
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	asked := make(chan int, 100)
	cluster.ControlKey(keyMetadata, func(req kmsg.Request) (kmsg.Response, error, bool) {
		if q := req.(*kmsg.MetadataRequest); q.Topics == nil {
			asked <- -1
		} else {
			asked <- len(q.Topics)
		}
		return nil, nil, false
	})
	c := start(t, Config{Brokers: cluster.ListenAddrs()})
	if _, err := c.Look(t.Context(), orders(0)); err != nil {
		t.Fatal(err)
	}
	for len(asked) > 0 {
		if n := <-asked; n < 0 || n > 1 {
			t.Errorf("a metadata request asks for %d topics (-1: all)", n)
		}
	}
}

// A broker that takes back what it said of its versions is asked again.
func TestUnsupportedVersion(t *testing.T) {
	s := scripted(t, 1)
	s.logs[0] = []batchtest.Batch{batchtest.Of(0, "a"), batchtest.Of(1, "b")}
	learned := count(s.cluster, keyApiVersions)
	x := open(t, start(t, s.config()), orders(0), offsets.TopicID{}, 0)
	x.until(t, 2)
	before := learned.Load()
	s.set(func() { s.failure = 35 })
	x.silent(t, 200*time.Millisecond)
	s.set(func() {
		s.failure = 0
		s.logs[0] = append(s.logs[0], batchtest.Of(2, "c"))
	})
	x.until(t, 3)
	if after := learned.Load(); after == before {
		t.Error("versions weren't learned again")
	}
}

// TLS and SASL wrap the connection; the exchange and its versions go through.
func TestSecureConnections(t *testing.T) {
	server, pool := certificate(t)
	cluster := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server}}),
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "user", "secret"))
	clientTLS := &tls.Config{RootCAs: pool}
	cl := producer(t, cluster.ListenAddrs(), kgo.DialTLSConfig(clientTLS), kgo.SASL(kplain.Auth{User: "user", Pass: "secret"}.AsMechanism()))
	end := produce(t, cl, orders(0), 10)
	c := start(t, Config{Brokers: cluster.ListenAddrs(), TLS: clientTLS, SASL: plain.Mechanism{Username: "user", Password: "secret"}})
	open(t, c, orders(0), offsets.TopicID{}, 0).until(t, end)
}

// certificate makes a self-signed certificate for loopback.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kspout test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}
