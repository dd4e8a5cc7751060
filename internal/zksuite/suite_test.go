package zksuite_test

import (
	"flag"
	"os"
	"testing"

	"github.com/kspout/kspout/internal/realservers"
	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/internal/zksuite"
)

var update = flag.Bool("update", false, "record the transcripts from the real server")

// TestInProcess holds the server in the process to the suite.
func TestInProcess(t *testing.T) {
	zksuite.Run(t, func(t *testing.T) zksuite.Server { return startInProcess(t) })
}

// TestRealServer holds the suite to the real server.
func TestRealServer(t *testing.T) {
	if *update {
		srv := startReal(t)
		for _, name := range zksuite.Transcripts() {
			file := "testdata/" + name + ".txt"
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			said := zksuite.Play(t, srv.Addr(), "/"+name, string(script))
			if err := os.WriteFile(file, []byte(said), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Skip("recorded")
	}
	zksuite.Run(t, func(t *testing.T) zksuite.Server { return startReal(t) })
}

type inProcess struct{ *zkserver.Server }

func startInProcess(t testing.TB) inProcess {
	t.Helper()
	srv, err := zkserver.Start(zkserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return inProcess{srv}
}

func (s inProcess) Restart(t testing.TB) {
	s.Stop()
	if err := s.Server.Restart(); err != nil {
		t.Fatal(err)
	}
}

type realServer struct{ node *realservers.Node }

func startReal(t testing.TB) realServer {
	t.Helper()
	return realServer{realservers.StartZooKeeper(t, realservers.ZooKeeperOptions{}).Node(0)}
}

func (s realServer) Addr() string { return s.node.Addr() }

func (s realServer) Restart(t testing.TB) {
	if err := s.node.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.node.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
