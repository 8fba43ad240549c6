package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// usage is what this process has used up to now.
type usage struct {
	cpuMs    float64
	maxRssMb float64
}

func usageNow() (usage, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return usage{}, err
	}
	rssMb, err := maxRssMb()
	return usage{cpuMs: milliseconds(used.Utime) + milliseconds(used.Stime), maxRssMb: rssMb}, err
}

func milliseconds(spent syscall.Timeval) float64 {
	return float64(spent.Nano()) / 1e6
}

// maxRssMb is the high-water mark of this program. Getrusage has one too, but it counts what the parent was before the exec.
func maxRssMb() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
			return kilobytes / 1024, err
		}
	}
	return 0, errors.New("/proc/self/status has no line VmHWM")
}
