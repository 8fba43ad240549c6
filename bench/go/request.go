package main

import (
	"fmt"
	"time"
)

// request is what the harness asks of this process: the JSON of the driver protocol, field for field.
type request struct {
	Library      string `json:"library"`
	Host         string `json:"host"`
	Port         int    `json:"port"`
	Scenario     string `json:"scenario"`
	Key          string `json:"key"`
	Waiters      int    `json:"waiters"`
	SectionMs    int    `json:"sectionMs"`
	Depth        int    `json:"depth"`
	DurationMs   int    `json:"durationMs"`
	GiveUpMs     int    `json:"giveUpMs"`
	FirstWaiter  int    `json:"firstWaiter"`
	RecordFile   string `json:"recordFile"`
	RecordAtMost int    `json:"recordAtMost"`
}

const (
	sequential = "sequential"
	keys       = "keys"
	nested     = "nested"
	burst      = "burst"
	loop       = "loop"
)

// unsupported says why this driver cannot carry out the request; it is empty when it can.
func (r request) unsupported() string {
	if _, known := libraries[r.Library]; !known {
		return fmt.Sprintf("this driver knows redsync, rueidislock and go-mutex, not %q", r.Library)
	}
	switch r.Scenario {
	case sequential, keys, burst, loop:
		return ""
	case nested:
		return r.Library + " has no reentry"
	}
	return fmt.Sprintf("unknown scenario %q", r.Scenario)
}

// tasks is how many goroutines take part.
func (r request) tasks() int {
	if r.Scenario == sequential {
		return 1
	}
	return r.Waiters
}

func (r request) contended() bool {
	return r.Scenario == burst || r.Scenario == loop
}

// keyOf is the lock of one waiter: its own in "keys", the common one otherwise.
func (r request) keyOf(waiter int) string {
	if r.Scenario == keys {
		return fmt.Sprintf("%s:%d", r.Key, waiter)
	}
	return r.Key
}

// section is what a section lasts; the uncontended scenarios measure the lock alone.
func (r request) section() time.Duration {
	if r.contended() {
		return time.Duration(r.SectionMs) * time.Millisecond
	}
	return 0
}

// patience is how long the round goes on before it is stopped.
func (r request) patience() time.Duration {
	if r.Scenario == burst {
		return r.giveUp()
	}
	return time.Duration(r.DurationMs) * time.Millisecond
}

func (r request) giveUp() time.Duration {
	return time.Duration(r.GiveUpMs) * time.Millisecond
}
