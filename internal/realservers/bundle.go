package realservers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fetchTimeout bounds one run of Maven. A cold run takes about 15 s on a good
// line.
const fetchTimeout = 5 * time.Minute

// manifestName is the file of a bundle that lists its jars and their sizes. It
// is written before the bundle gets its final name.
const manifestName = "MANIFEST"

// A bundle is a set of jars that Maven fetches: one server with all it needs
// to run.
type bundle struct {
	name      string // "kafka-4.3.1", the stem of its directory
	artifacts []artifact
}

// An artifact is one direct dependency of a bundle.
type artifact struct {
	group, id, version string
	excludes           []string // group:artifact of transitive ones to leave out
}

// simpleLogger is the logger of all servers: it writes to the process's own
// standard error, which a [Node] keeps in its log file, and is set up by
// system properties alone.
var simpleLogger = artifact{group: "org.slf4j", id: "slf4j-simple", version: "1.7.36"}

func kafkaBundle(version string) bundle {
	of := func(id string) artifact {
		return artifact{group: "org.apache.kafka", id: id, version: version, excludes: []string{"org.slf4j:slf4j-reload4j"}}
	}
	return bundle{
		name:      "kafka-" + version,
		artifacts: []artifact{of("kafka_2.13"), of("kafka-server"), of("kafka-tools"), simpleLogger},
	}
}

func zooKeeperBundle(version string) bundle {
	return bundle{
		name: "zookeeper-" + version,
		artifacts: []artifact{
			{group: "org.apache.zookeeper", id: "zookeeper", version: version, excludes: []string{"ch.qos.logback:*"}},
			// ZooKeeper's own pom marks these two as provided.
			{group: "io.dropwizard.metrics", id: "metrics-core", version: "4.1.12.1"},
			{group: "org.xerial.snappy", id: "snappy-java", version: "1.1.10.5"},
			simpleLogger,
		},
	}
}

// pom returns the Maven project whose dependencies are the bundle's.
func (b bundle) pom() []byte {
	var s strings.Builder
	tag := func(name, value string) {
		s.WriteString("<" + name + ">")
		_ = xml.EscapeText(&s, []byte(value)) // a strings.Builder takes every write
		s.WriteString("</" + name + ">")
	}
	s.WriteString(`<project xmlns="http://maven.apache.org/POM/4.0.0">`)
	tag("modelVersion", "4.0.0")
	tag("groupId", "kspout")
	tag("artifactId", b.name)
	tag("version", "1")
	tag("packaging", "pom")
	s.WriteString("\n<dependencies>\n")
	for _, a := range b.artifacts {
		s.WriteString("<dependency>")
		tag("groupId", a.group)
		tag("artifactId", a.id)
		tag("version", a.version)
		s.WriteString("<exclusions>")
		for _, x := range a.excludes {
			group, id, _ := strings.Cut(x, ":")
			s.WriteString("<exclusion>")
			tag("groupId", group)
			tag("artifactId", id)
			s.WriteString("</exclusion>")
		}
		s.WriteString("</exclusions></dependency>\n")
	}
	s.WriteString("</dependencies>\n<build><plugins><plugin>")
	tag("groupId", "org.apache.maven.plugins")
	tag("artifactId", "maven-dependency-plugin")
	tag("version", "3.8.1")
	s.WriteString("</plugin></plugins></build>\n</project>\n")
	return []byte(s.String())
}

// dir returns the bundle's directory under cache. Its name holds a digest of
// the pom, so a changed list of artifacts is another directory.
func (b bundle) dir(cache string) string {
	sum := sha256.Sum256(b.pom())
	return filepath.Join(cache, fmt.Sprintf("%s-%x", b.name, sum[:4]))
}

// cacheDir returns the directory that holds what lasts from one run to the
// next, for this user: kspout in the user's cache directory, or in the one for
// temporary files where there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "kspout")
}

// fetch returns the class path of b, after having Maven download it into cache
// where it isn't there whole. Any number of processes may call it at once: one
// downloads and the others wait, until ctx ends.
func (b bundle) fetch(ctx context.Context, cache string) (classpath string, err error) {
	dir := b.dir(cache)
	if checkManifest(dir) == nil {
		return filepath.Join(dir, "*"), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("realservers: cache: %w", err)
	}
	// One lock for all bundles: Maven's own repository, which they share, is
	// not made for two runs at once.
	unlock, err := lockFile(ctx, filepath.Join(cache, "lock"))
	if err != nil {
		return "", fmt.Errorf("realservers: cache: %w", err)
	}
	defer unlock()
	if checkManifest(dir) == nil {
		return filepath.Join(dir, "*"), nil
	}
	if err := b.download(ctx, dir); err != nil {
		return "", fmt.Errorf("realservers: %s: %w", b.name, err)
	}
	return filepath.Join(dir, "*"), nil
}

// download fills dir. The caller holds the cache's lock. dir exists either
// whole or not at all, unless someone removed files from it later.
func (b bundle) download(ctx context.Context, dir string) error {
	partial := dir + ".partial"
	for _, d := range []string{dir, partial} {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return err
	}
	pom := filepath.Join(partial, "pom.xml")
	if err := os.WriteFile(pom, b.pom(), 0o644); err != nil {
		return err
	}
	mvn, err := findMaven()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	cmd := exec.Command(mvn, "-B", "-q", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+partial)
	cmd.Dir = partial
	if out, _, err := runProcess(ctx, cmd); err != nil {
		// Maven prints its errors to standard output.
		return &missingError{"maven could not download it", fmt.Errorf("%w\n%s", err, lastLines(out, logLines))}
	}
	if err := writeManifest(partial); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

// writeManifest records every jar of dir with its size.
func writeManifest(dir string) error {
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil {
		return err
	}
	if len(jars) == 0 {
		return errors.New("maven brought no jars")
	}
	var list bytes.Buffer
	for _, jar := range jars {
		fi, err := os.Stat(jar)
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%d %s\n", fi.Size(), filepath.Base(jar))
	}
	return os.WriteFile(filepath.Join(dir, manifestName), list.Bytes(), 0o644)
}

// checkManifest reports whether every jar that the manifest of dir lists is
// there in its full size.
func checkManifest(dir string) error {
	list, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(list)) {
		size, jar, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
		fi, err := os.Stat(filepath.Join(dir, jar))
		if err != nil {
			return err
		}
		if fi.Size() != want {
			return fmt.Errorf("%s: has %d bytes, want %d", jar, fi.Size(), want)
		}
	}
	return nil
}
