package zkstate

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/kspout/kspout/internal/realservers"
)

// realZooKeeper is shared by the tests; one that stops it starts it again.
var realZooKeeper realservers.SharedZooKeeper

func TestMain(m *testing.M) {
	code := m.Run()
	if err := realZooKeeper.Close(); err != nil {
		fmt.Println(err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}
