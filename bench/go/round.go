package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const lastCyclePatience = time.Second

// round is one scenario from its start to its end.
type round struct {
	request    request
	clock      epochClock
	log        *sectionLog
	complaints complaints
	stopped    atomic.Bool
	waiters    []*waiter
}

// outcome is the last line of the driver protocol.
type outcome struct {
	Done      bool     `json:"done"`
	Sections  int      `json:"sections"`
	ElapsedMs float64  `json:"elapsedMs"`
	CPUMs     float64  `json:"cpuMs"`
	PerWaiter []int    `json:"perWaiter"`
	GaveUp    int      `json:"gaveUp"`
	Errors    []string `json:"errors"`
	MaxRssMb  float64  `json:"maxRssMb"`
}

func newRound(opened library, r request, clock epochClock) *round {
	planned := &round{request: r, clock: clock, log: &sectionLog{atMost: r.RecordAtMost}}
	for index := range r.tasks() {
		number := r.FirstWaiter + index
		planned.waiters = append(planned.waiters, &waiter{number: number, lock: opened.lock(r.keyOf(number)), round: planned})
	}
	return planned
}

// run goes on until everybody is through or time is up.
func (r *round) run(startAtEpochMs float64) (outcome, error) {
	waits, abort := context.WithCancel(context.Background())
	defer abort()
	start := make(chan struct{})
	var running sync.WaitGroup
	for _, each := range r.waiters {
		running.Go(func() {
			<-start
			each.run(waits)
		})
	}
	over := make(chan struct{})
	go func() {
		running.Wait()
		close(over)
	}()

	r.clock.sleepUntil(startAtEpochMs)
	before, err := usageNow()
	if err != nil {
		return outcome{}, err
	}
	startedAt := r.clock.now()
	close(start)
	r.await(over, abort)
	elapsedMs := r.clock.now() - startedAt
	after, err := usageNow()
	if err != nil {
		return outcome{}, err
	}
	return r.outcome(elapsedMs, after.cpuMs-before.cpuMs, after.maxRssMb), nil
}

func (r *round) await(over <-chan struct{}, abort context.CancelFunc) {
	if ended(over, r.request.patience()) {
		return
	}
	r.stopped.Store(true)
	// Without contention nobody should be waiting: the cycle under way is over in a moment.
	if !r.request.contended() && ended(over, lastCyclePatience) {
		return
	}
	abort()
	ended(over, r.request.giveUp())
}

// ended waits for the channel to close, and says whether it did in time.
func ended(over <-chan struct{}, patience time.Duration) bool {
	select {
	case <-over:
		return true
	case <-time.After(patience):
		return false
	}
}

func (r *round) outcome(elapsedMs, cpuMs, maxRssMb float64) outcome {
	result := outcome{Done: true, ElapsedMs: elapsedMs, CPUMs: cpuMs, MaxRssMb: maxRssMb, Errors: r.complaints.list()}
	for _, each := range r.waiters {
		result.Sections += each.sections
		result.PerWaiter = append(result.PerWaiter, each.sections)
		result.GaveUp += each.gaveUp
	}
	return result
}
