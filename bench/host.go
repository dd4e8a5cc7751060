package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/kspout/kspout/internal/realservers"
)

// A host is where and when the figures were taken: no two are comparable.
type host struct {
	Time  time.Time `json:"time"`
	Go    string    `json:"go"`
	OS    string    `json:"os"`
	Cores int       `json:"cores"`
	CPU   string    `json:"cpu,omitempty"`
	Load  string    `json:"load,omitempty"` // average over 1, 5 and 15 minutes at the start
	Kafka string    `json:"kafka"`
}

func thisHost() host {
	h := host{
		Time: time.Now().UTC(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.NumCPU(), Kafka: realservers.KafkaVersion,
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		h.Load = strings.Join(strings.Fields(string(load))[:3], " ")
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(info), "model name"); ok {
			name, _, _ := strings.Cut(strings.TrimLeft(rest, "\t: "), "\n")
			h.CPU = name
		}
	}
	return h
}

func (h host) String() string {
	return fmt.Sprintf("%s, %s, %s, %d cores %s, Kafka %s beside it, load %s",
		h.Time.Format("2006-01-02 15:04"), h.Go, h.OS, h.Cores, h.CPU, h.Kafka, h.Load)
}
