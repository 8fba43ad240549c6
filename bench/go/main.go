// One process of the benchmark: redsync, rueidislock or concurrency.Mutex under the bench driver protocol (README.md).
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := drive(); err != nil {
		fmt.Fprintln(os.Stderr, "bench driver:", err)
		os.Exit(1)
	}
}

func drive() error {
	if len(os.Args) != 2 {
		return errors.New("expected one argument, the request as JSON")
	}
	var asked request
	if err := json.Unmarshal([]byte(os.Args[1]), &asked); err != nil {
		return fmt.Errorf("the request is not what the protocol says: %w", err)
	}
	if why := asked.unsupported(); why != "" {
		return say(map[string]string{"unsupported": why})
	}
	chosen := libraries[asked.Library]
	opened, err := chosen.open(asked)
	if err != nil {
		return fmt.Errorf("no connection to %s:%d: %w", asked.Host, asked.Port, err)
	}
	if err := warmUp(opened, asked); err != nil {
		return fmt.Errorf("warming up: %w", err)
	}
	planned := newRound(opened, asked, newEpochClock())
	if err := say(map[string]any{"ready": true, "version": chosen.version()}); err != nil {
		return err
	}
	startAtEpochMs, err := readGo()
	if err != nil {
		return err
	}
	result, err := planned.run(startAtEpochMs)
	if err != nil {
		return err
	}
	if err := planned.log.write(asked.RecordFile); err != nil {
		return err
	}
	return say(result)
}

func readGo() (float64, error) {
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	at, isGo := strings.CutPrefix(strings.TrimSpace(line), "go ")
	if !isGo {
		return 0, fmt.Errorf("expected a line 'go <epochMs>' on standard input, got %q (%v)", line, err)
	}
	return strconv.ParseFloat(at, 64)
}

func say(line any) error {
	return json.NewEncoder(os.Stdout).Encode(line)
}
