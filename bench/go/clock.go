package main

import (
	"math"
	"time"
)

const anchorTries = 1000

// epochClock gives epoch milliseconds from the monotonic clock, anchored once to the wall clock.
type epochClock struct {
	anchor        time.Time
	anchorEpochMs float64
}

// newEpochClock anchors at the reading of the wall clock that lies between the two closest readings of the monotonic one. A single
// time.Now will not do: it reads one clock after the other, and a busy machine may take the core away in between.
func newEpochClock() epochClock {
	best := time.Duration(math.MaxInt64)
	var clock epochClock
	for range anchorTries {
		before := time.Now()
		wall := time.Now()
		width := time.Since(before)
		if width < best {
			best = width
			clock = epochClock{anchor: wall, anchorEpochMs: float64(wall.UnixNano()) / 1e6}
		}
	}
	return clock
}

func (c epochClock) now() float64 {
	return c.anchorEpochMs + float64(time.Since(c.anchor).Nanoseconds())/1e6
}

func (c epochClock) sleepUntil(epochMs float64) {
	for left := epochMs - c.now(); left > 0; left = epochMs - c.now() {
		time.Sleep(time.Duration(math.Ceil(left * 1e6)))
	}
}
