package zkstate

import (
	"fmt"
	"net"
	"strings"
)

const defaultPort = "2181"

// A serverList is a parsed Config.Servers.
type serverList struct {
	hosts  []string // host:port, not resolved
	chroot string   // "" or a path without a trailing slash
}

// parseServers parses a list as Config.Servers describes it. An element may
// itself be a list with commas, as ZooKeeper's connect strings are.
func parseServers(servers []string) (serverList, error) {
	var l serverList
	for _, s := range servers {
		for e := range strings.SplitSeq(s, ",") {
			e = strings.TrimSpace(e)
			addr, path, rooted := strings.Cut(e, "/")
			if rooted {
				root := "/" + strings.TrimSuffix(path, "/")
				if root == "/" {
					root = ""
				}
				if l.chroot != "" && root != l.chroot {
					return l, fmt.Errorf("has two chroots, %s and %s", l.chroot, root)
				}
				if root != "" {
					if err := validPath(root); err != nil {
						return l, fmt.Errorf("has the chroot %q: %w", root, err)
					}
				}
				l.chroot = root
			}
			host, port, err := net.SplitHostPort(addr)
			if err != nil && !strings.Contains(addr, ":") {
				host, port, err = addr, defaultPort, nil
			}
			if err != nil {
				return l, fmt.Errorf("has %q, which isn't host:port: %w", e, err)
			}
			if host == "" || port == "" {
				return l, fmt.Errorf("has %q, which isn't host:port", e)
			}
			l.hosts = append(l.hosts, net.JoinHostPort(host, port))
		}
	}
	return l, nil
}

// validPath says what is wrong with a node's path, or nil.
func validPath(path string) error {
	switch {
	case !strings.HasPrefix(path, "/"):
		return fmt.Errorf("a path starts with '/'")
	case path == "/":
		return nil
	}
	for e := range strings.SplitSeq(path[1:], "/") {
		if err := validElement(e); err != nil {
			return err
		}
	}
	return nil
}

// validElement says what is wrong with one element of a path, or nil. The
// characters are those that ZooKeeper refuses.
func validElement(e string) error {
	switch e {
	case "":
		return fmt.Errorf("an element of a path can't be empty")
	case ".", "..":
		return fmt.Errorf("an element of a path can't be %q", e)
	}
	for _, r := range e {
		switch {
		case r == '/', r <= 0x1f, r >= 0x7f && r <= 0x9f, r >= 0xd800 && r <= 0xf8ff, r >= 0xfff0 && r <= 0xffff:
			return fmt.Errorf("an element of a path can't hold %q", r)
		}
	}
	return nil
}
