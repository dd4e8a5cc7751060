package realservers_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/kspout/kspout/internal/realservers"
)

var shared realservers.SharedKafka

func TestMain(m *testing.M) {
	if kind := os.Getenv(orphanVariable); kind != "" {
		orphan(kind)
	}
	code := m.Run()
	if err := shared.Close(); err != nil {
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
