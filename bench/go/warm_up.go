package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	warmCycles    = 500
	warmTasksMost = 64
	warmCyclesMin = 10
	warmPatience  = time.Second
)

// warmUp opens the connections and loads the scripts: some hundred uncontended cycles, on keys of this process alone, by as many
// tasks at a time as will be measured.
func warmUp(opened library, r request) error {
	tasks := min(r.tasks(), warmTasksMost)
	cycles := max(warmCycles/tasks, warmCyclesMin)
	failures := make(chan error, tasks)
	var running sync.WaitGroup
	for task := range tasks {
		warm := opened.lock(fmt.Sprintf("%s:warm:%d:%d", r.Key, os.Getpid(), task))
		running.Go(func() {
			for range cycles {
				if err := pass(warm); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	running.Wait()
	close(failures)
	return <-failures
}

// pass is one cycle, with an end to its patience: a wake-up that the library missed must not keep the driver from reporting that it is
// ready. Such a cycle is left out; in the measured round it would show.
func pass(warm lock) error {
	patience, end := context.WithTimeout(context.Background(), warmPatience)
	defer end()
	release, err := warm.acquire(patience)
	if err == nil {
		return release()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
