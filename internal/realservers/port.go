package realservers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Ports are taken from [portLow, portHigh), which lies below the range that
// Linux, macOS and Windows take the local ports of outgoing connections from:
// no client's connection can occupy the port of a server that is down between
// two starts.
const (
	portLow  = 18000
	portHigh = 32000
)

// A port is a TCP port of 127.0.0.1 that is reserved among all processes that
// use this package, from reservePort to release, whether or not a server
// listens on it.
type port struct {
	number  int
	release func()
}

func (p port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// reservePorts reserves n ports that nobody listens on at the time of the
// call. A process that doesn't use this package may still take one before the
// server does.
func reservePorts(n int) ([]port, error) {
	dir := filepath.Join(cacheDir(), "ports")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("realservers: port: %w", err)
	}
	var ports []port
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		number := portLow + rand.IntN(portHigh-portLow)
		unlock, ok, err := tryLock(filepath.Join(dir, strconv.Itoa(number)))
		if err != nil {
			releasePorts(ports)
			return nil, fmt.Errorf("realservers: port: %w", err)
		}
		if !ok {
			continue
		}
		p := port{number: number, release: unlock}
		l, err := net.Listen("tcp4", p.addr())
		if err != nil {
			p.release()
			continue
		}
		l.Close()
		ports = append(ports, p)
	}
	releasePorts(ports)
	return nil, errors.New("realservers: port: no free one found")
}

func releasePorts(ports []port) {
	for _, p := range ports {
		p.release()
	}
}
