package zksuite_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kspout/kspout/internal/zksuite"
)

var (
	seed   = flag.Uint64("seed", 0, "of TestSame; 0: by the clock")
	rounds = flag.Int("rounds", 5, "of TestSame, each of 400 commands")
)

// TestSame plays random transcripts on both servers, which must say the same.
func TestSame(t *testing.T) {
	real, inProcess := startReal(t), startInProcess(t)
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	for i := range *rounds {
		seed := first + uint64(i)
		script := randomScript(rand.New(rand.NewPCG(seed, 0)), 400)
		root := fmt.Sprintf("/same%d", i)
		want := zksuite.Play(t, real.Addr(), root, script)
		got := zksuite.Play(t, inProcess.Addr(), root, script)
		if got != want {
			t.Fatalf("seed %d (repeat with -seed=%d -rounds=1): the servers differ (-real +in process):\n%s", seed, seed, zksuite.Diff(want, got))
		}
	}
}

// randomScript returns n commands of three clients on a few nodes.
func randomScript(rng *rand.Rand, n int) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	node := func() string { return pick("$", "$/1", "$/2", "$/1/1", "$/1/2", "$/1/1/1", "$/2/1", "$/3") }
	version := func() string {
		if rng.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf(" v=%d", rng.IntN(3))
	}
	acl := func() string {
		if rng.IntN(4) > 0 {
			return ""
		}
		return " acl=" + pick("31:auth:", "1:world:anyone", "27:world:anyone", "29:world:anyone,31:auth:",
			"23:world:anyone", "15:world:anyone", "31:digest:digest(u:a)", "none")
	}
	write := func() string {
		switch rng.IntN(8) {
		case 0, 1, 2, 3:
			return pick("create ", "create2 ") + node() + " data=" + pick("", "x", "null") + acl() +
				pick("", "", "", " ephemeral", " sequential", " ephemeral sequential")
		case 4, 5:
			return "set " + node() + " data=" + pick("", "y", "null", "longer") + version()
		}
		return "delete " + node() + version()
	}
	var b strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintln(&b, name, "connect")
	}
	for range n {
		name := pick("a", "b", "c")
		fmt.Fprint(&b, name, " ")
		switch rng.IntN(16) {
		case 0, 1, 2, 3, 4:
			fmt.Fprintln(&b, write())
		case 5, 6:
			b.WriteString("multi " + write())
			for range rng.IntN(4) {
				b.WriteString(" ; ")
				if rng.IntN(4) == 0 {
					b.WriteString("check " + node() + version())
				} else {
					b.WriteString(write())
				}
			}
			fmt.Fprintln(&b)
		case 7, 8, 9, 10, 11:
			fmt.Fprintln(&b, pick("get", "exists", "children", "children2")+" "+node()+pick("", " watch", " watch"))
		case 12:
			fmt.Fprintln(&b, "setacl "+node()+acl()+version())
		case 13:
			fmt.Fprintln(&b, "getacl "+node())
		case 14:
			switch rng.IntN(6) {
			case 0: // a new session
				fmt.Fprintln(&b, "close sorted")
				for _, other := range []string{"a", "b", "c"} {
					if other != name { // a session's nodes go in no order
						fmt.Fprintln(&b, other, "ping sorted")
					}
				}
				fmt.Fprintln(&b, name, "connect")
			case 1: // the same session on a new connection
				fmt.Fprintf(&b, "cut\n%s connect session=%s\n", name, name)
				fmt.Fprintf(&b, "%s setwatches since=%d data=%s exists=%s children=%s\n", name, rng.IntN(n), node(), node(), node())
			default:
				fmt.Fprintln(&b, "auth digest u:"+pick("a", "b", "c"))
			}
		default:
			fmt.Fprintln(&b, "ping sorted")
		}
	}
	return b.String()
}
