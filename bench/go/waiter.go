package main

import (
	"context"
	"time"
)

// waiter is one goroutine that takes the lock, stays in the section, and lets go.
type waiter struct {
	number   int
	lock     lock
	round    *round
	sections int
	gaveUp   int
}

// run goes once through the lock in a burst, else again and again until the round is stopped.
func (w *waiter) run(waits context.Context) {
	for {
		w.cycle(waits)
		if w.round.request.Scenario == burst || w.round.stopped.Load() {
			return
		}
	}
}

func (w *waiter) cycle(waits context.Context) {
	clock := w.round.clock
	requestedAt := clock.now()
	release, err := w.lock.acquire(waits)
	if err != nil {
		w.refused(waits, err)
		return
	}
	enteredAt := clock.now()
	if stay := w.round.request.section(); stay > 0 {
		time.Sleep(stay)
	}
	leftAt := clock.now()
	if err := release(); err != nil {
		w.round.complaints.add(err)
	}
	// Also when the release failed: a section whose lock was lost is the one that must be seen in the log.
	w.sections++
	w.round.log.add(section{float64(w.number), requestedAt, enteredAt, leftAt})
}

func (w *waiter) refused(waits context.Context, err error) {
	if waits.Err() == nil {
		w.round.complaints.add(err)
		w.gaveUp++
		return
	}
	// Ended by the driver. The end of a loop finds most waiters waiting; only in a burst was that all the time they were given.
	if w.round.request.Scenario == burst {
		w.gaveUp++
	}
}
