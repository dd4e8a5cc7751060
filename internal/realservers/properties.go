package realservers

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
)

// writeProperties writes a Java properties file of base with over on top,
// sorted by key. Neither keys nor values are escaped.
func writeProperties(path string, base, over map[string]string) error {
	all := maps.Clone(base)
	maps.Copy(all, over)
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "%s=%s\n", key, all[key])
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
