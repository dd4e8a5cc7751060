package tree

import "strings"

// special are the paths that exist from the start and cannot be deleted.
var special = []string{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}

// parent returns the path above path, "/" for those directly below the root.
// ok is false if path has no slash or holds a NUL.
func parent(path string) (dir string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return root(path[:i]), true
}

// root returns path, or "/" for the empty path, which names the root too.
func root(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// base returns the last element of path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// valid reports whether path may name a node, by the rules of ZooKeeper's
// PathUtils.validatePath: absolute, no trailing slash, no empty, "." or ".."
// element, none of certain characters. Java sees characters above U+FFFF as
// surrogates, which are among these. Bytes that are not UTF-8 decode to
// U+FFFD, which is one of them.
func valid(path string) bool {
	if path == "/" {
		return true
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for name := range strings.SplitSeq(path[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	for _, r := range path {
		switch {
		case r <= 0x1f, 0x7f <= r && r <= 0x9f, 0xd800 <= r && r <= 0xf8ff, 0xfff0 <= r:
			return false
		}
	}
	return true
}
