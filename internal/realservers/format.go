package realservers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// clusterID is the id of all clusters: 16 bytes in base 64.
const clusterID = "a3Nwb3V0LXRlc3RzLTAwMA"

// formatTemplate returns a directory as Kafka's StorageTool formats it. The
// tool runs once for each version of Kafka; what it writes differs between
// nodes only in their ids.
func (in install) formatTemplate(ctx context.Context) (string, error) {
	dir := filepath.Join(in.dir, "formatted")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	unlock, err := lockFile(ctx, filepath.Join(cacheDir(), "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	work, err := os.MkdirTemp("", "kspout-format-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	partial := dir + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	config := filepath.Join(work, "server.properties")
	props := kafkaProperties(work, 0, [][]port{{{number: 9092}, {number: 9093}}})
	if err := writeProperties(config, props, map[string]string{"log.dirs": partial}); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	cmd := in.command(work, "256m", nil, "kafka.tools.StorageTool", "format", "-t", clusterID, "-c", config)
	if _, _, err := runProcess(ctx, cmd); err != nil {
		return "", fmt.Errorf("storage tool: %w", err)
	}
	return dir, os.Rename(partial, dir)
}

// formatDir formats dir for node id: the files of the template, with the
// node's id and a new id for the directory.
func formatDir(template, dir string, id int) error {
	if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
		return err
	}
	path := filepath.Join(dir, "meta.properties")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var meta strings.Builder
	for line := range strings.Lines(string(text)) {
		switch key, _, _ := strings.Cut(line, "="); key {
		case "node.id":
			line = fmt.Sprintf("node.id=%d\n", id)
		case "directory.id":
			line = "directory.id=" + directoryID() + "\n"
		}
		meta.WriteString(line)
	}
	return os.WriteFile(path, []byte(meta.String()), 0o644)
}

// directoryID returns a random id in Kafka's form of a UUID, which doesn't
// begin with a dash.
func directoryID() string {
	var id [16]byte
	for {
		rand.Read(id[:])
		if s := base64.RawURLEncoding.EncodeToString(id[:]); s[0] != '-' {
			return s
		}
	}
}
