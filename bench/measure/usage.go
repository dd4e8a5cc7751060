package measure

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// processorTime returns what this process has used, all threads of it.
func processorTime() (user, system time.Duration) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only wrong arguments are refused
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}

// peakRSS returns the most memory that this process had resident, in bytes.
//
// Linux hands ru_maxrss on through fork and exec: a small child of a large
// process would have its parent's. VmHWM is the child's own.
func peakRSS() int64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
			f := bytes.Fields(lines.Bytes())
			if len(f) == 3 && string(f[0]) == "VmHWM:" {
				if kB, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
					return kB << 10
				}
			}
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Maxrss << 10
}
