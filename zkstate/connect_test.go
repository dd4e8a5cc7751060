package zkstate

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestConnectSaysWhatIsWrong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	t.Run("silent", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{Servers: []string{addr}})
		wantErr(t, err, context.DeadlineExceeded, addr, "doesn't grant a session")
	})
	l.Close()
	t.Run("nobody", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{Servers: []string{addr}})
		wantErr(t, err, context.DeadlineExceeded, addr, "refused", "check")
	})
	t.Run("no such host", func(t *testing.T) {
		_, err := Connect(bounded(t, 100*time.Millisecond), Config{
			Servers: []string{"zk.invalid"},
			Dial: func(_ context.Context, network, address string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "zk.invalid"}}
			},
		})
		wantErr(t, err, context.DeadlineExceeded, "zk.invalid:2181", "no such host")
	})
	t.Run("settings", func(t *testing.T) {
		_, err := Connect(t.Context(), Config{Servers: []string{"a:b:c"}, SessionTimeout: -1, MaxInFlight: -1, MaxRequest: -1})
		for _, field := range []string{"Servers", "SessionTimeout", "MaxInFlight", "MaxRequest"} {
			if err == nil || !strings.Contains(err.Error(), "Config."+field) {
				t.Errorf("error %v doesn't name %s", err, field)
			}
		}
	})
}

// A name that can't be resolved, or a server that isn't there, is waited for.
func TestConnectWaits(t *testing.T) {
	st := local(t)
	addr := st.servers[0]
	tries := 0
	c, err := Connect(bounded(t, 20*time.Second), Config{
		Servers: []string{"zk.invalid"},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if tries++; tries < 4 {
				return nil, &net.DNSError{Err: "no such host", Name: address}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// A server that takes connections and says nothing is passed over.
func TestSilentServerIsPassedOver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	st := local(t)
	took(t, 10*time.Second, func() {
		for range 3 { // the first one to be tried is random
			st.connect(t, quietly, func(cfg *Config) {
				cfg.Servers = append(slices.Clone(cfg.Servers), l.Addr().String())
				cfg.SessionTimeout = 3 * time.Second
			})
		}
	})
}
