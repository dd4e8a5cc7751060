package realservers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// trainTimeout bounds the run of a server that is there for its archive of
// classes. It takes about 5 s.
const trainTimeout = 60 * time.Second

// An install is a bundle on this machine and the Java that runs it.
type install struct {
	java      string // path of the command
	dir       string // the bundle's
	classpath string

	// archive is the file of the server's loaded classes (class data sharing,
	// JEP 350), which halves the time and the work of a start. It may be
	// missing. Its name holds a digest of Java's version, the only one that it
	// fits.
	archive string
}

// findInstall has b fetched if it isn't there.
func findInstall(ctx context.Context, b bundle) (install, error) {
	jre, err := java()
	if err != nil {
		return install{}, err
	}
	classpath, err := b.fetch(ctx, cacheDir())
	if err != nil {
		return install{}, err
	}
	dir := b.dir(cacheDir())
	sum := sha256.Sum256([]byte(jre.path + "\n" + jre.version))
	return install{
		java:      jre.path,
		dir:       dir,
		classpath: classpath,
		archive:   filepath.Join(dir, fmt.Sprintf("classes-%x.jsa", sum[:4])),
	}, nil
}

// command returns the command that runs class with heap as the largest heap
// ("512m"), further options for the JVM, and tmp as the place of its temporary
// files: native libraries, which a killed JVM leaves behind.
func (in install) command(tmp, heap string, jvm []string, class string, args ...string) *exec.Cmd {
	all := append(jvmArgs(heap), "-Djava.io.tmpdir="+tmp)
	if in.archive != "" {
		all = append(all, "-XX:SharedArchiveFile="+in.archive)
	}
	all = append(all, jvm...)
	all = append(all, "-cp", in.classpath, class)
	return exec.Command(in.java, append(all, args...)...)
}

// train makes the archive if it's missing: it has start run one server from an
// install without it, with one more option for the JVM, and stops that cleanly. A train that fails is no
// error, for all it costs is time.
func (in install) train(ctx context.Context, start func(ctx context.Context, in install, option string) (*cluster, error)) {
	if _, err := os.Stat(in.archive); err == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, trainTimeout)
	defer cancel()
	unlock, err := lockFile(ctx, filepath.Join(cacheDir(), "lock"))
	if err != nil {
		return
	}
	defer unlock()
	if _, err := os.Stat(in.archive); err == nil {
		return
	}
	partial := in.archive + ".partial"
	bare := in
	bare.archive = "" // Java would take it for one to build on
	os.Remove(partial)
	c, err := start(ctx, bare, "-XX:ArchiveClassesAtExit="+partial)
	if err != nil {
		return
	}
	err = c.nodes[0].Stop(ctx)
	c.Close()
	if err != nil {
		os.Remove(partial)
		return
	}
	_ = os.Rename(partial, in.archive)
}
