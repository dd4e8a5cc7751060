package realservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// minJava is the lowest major version of Java that Kafka 4 runs on.
const minJava = 17

// ErrMissing means that this machine lacks something that no test can make up
// for: Java, Maven, or Maven's way to its repository. The error's text names
// it.
var ErrMissing = errors.New("realservers: missing on this machine")

// A missingError is an [ErrMissing] with what is missing and why.
type missingError struct {
	what string
	err  error // may be nil
}

func (e *missingError) Error() string {
	if e.err == nil {
		return e.what
	}
	return e.what + ": " + e.err.Error()
}

func (e *missingError) Is(target error) bool { return target == ErrMissing }
func (e *missingError) Unwrap() error        { return e.err }

// A javaRuntime is the java command and what it says of its version.
type javaRuntime struct {
	path    string
	version string
}

// java finds the Java runtime once per process: $JAVA_HOME/bin/java if that is
// set, else java on the PATH.
var java = sync.OnceValues(func() (javaRuntime, error) { return probeJava("java") })

func probeJava(name string) (javaRuntime, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return javaRuntime{}, &missingError{fmt.Sprintf("java %d or later not found", minJava), err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, out, err := runProcess(ctx, exec.Command(path, "-version"))
	if err != nil {
		return javaRuntime{}, &missingError{path + " -version", err}
	}
	major, err := parseJavaVersion(out)
	if err != nil {
		return javaRuntime{}, &missingError{path + " -version", err}
	}
	if major < minJava {
		return javaRuntime{}, &missingError{fmt.Sprintf("java %d or later not found: %s is version %d", minJava, path, major), nil}
	}
	return javaRuntime{path: path, version: string(out)}, nil
}

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// parseJavaVersion reads the major version from what java -version prints:
// `openjdk version "17.0.15" 2025-04-15`, and 8 for `java version "1.8.0_402"`.
func parseJavaVersion(out []byte) (int, error) {
	m := javaVersion.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no version in %q", lastLines(out, 3))
	}
	return strconv.Atoi(string(m[1]))
}

func findMaven() (string, error) {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", &missingError{"maven (mvn) not found", err}
	}
	return mvn, nil
}

// jvmArgs returns the options of every server's JVM: a small heap, a quick
// start, and a log on standard error that says what happened but not every
// setting.
func jvmArgs(heap string) []string {
	return []string{
		"-Xmx" + heap,
		"-XX:+UseSerialGC",
		"-XX:TieredStopAtLevel=1",
		"-XX:-UsePerfData",
		"-Xlog:disable", "-Xlog:all=warning:stderr", // not to a tool's standard output
		"-XX:+ExitOnOutOfMemoryError",
		"-Djava.awt.headless=true",
		"-Djava.net.preferIPv4Stack=true",
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-Dorg.slf4j.simpleLogger.showShortLogName=true",
		"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn",
		"-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaConfig=warn",
		"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.raft=warn",
		"-Dorg.slf4j.simpleLogger.log.state.change.logger=warn",
	}
}
