package zkserver_test

import (
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/kspout/kspout/internal/zkserver"
)

// A write whose reply is lost looks to the client as one that may or may not
// have happened; here it has.
func ExampleServer_LoseReply() {
	srv, err := zkserver.Start(zkserver.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	conn, _, err := zk.Connect([]string{srv.Addr()}, 10*time.Second, zk.WithLogger(silent{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()

	srv.LoseReply(zkserver.Match{Op: zkserver.OpCreate, Path: "/orders"})
	_, err = conn.Create("/orders", []byte("42"), 0, zk.WorldACL(zk.PermAll))
	fmt.Println(err)
	data, _, ok := srv.Get("/orders")
	fmt.Printf("%s %v\n", data, ok)

	// Output:
	// zk: connection closed
	// 42 true
}

type silent struct{}

func (silent) Printf(string, ...any) {}
