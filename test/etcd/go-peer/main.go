// A program that takes locks with Go's concurrency.Mutex, as it is told on standard input: one order a line, one answer a line.
//
//	<id> lock <session> <name>                    answers when it has the lock
//	<id> unlock <session> <name>
//	<id> increase <session> <name> <key> <times>  so many sections, each of which reads a number and writes the next
//	<id> sections <session> <name> <ms>           as many empty sections as it can in that time; answers how many
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

type peer struct {
	client     *clientv3.Client
	ttlSeconds int
	guard      sync.Mutex
	sessions   map[string]*concurrency.Session
	mutexes    map[string]*concurrency.Mutex
}

func main() {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   strings.Split(os.Args[1], ","),
		DialTimeout: 10 * time.Second,
		Logger:      zap.NewNop(),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "go peer:", err)
		os.Exit(1)
	}
	ttlSeconds, _ := strconv.Atoi(os.Args[2])
	told := &peer{
		client:     client,
		ttlSeconds: ttlSeconds,
		sessions:   map[string]*concurrency.Session{},
		mutexes:    map[string]*concurrency.Mutex{},
	}
	fmt.Println("ready")
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		words := strings.Split(orders.Text(), " ")
		go func() {
			answer, err := told.carryOut(words[1], words[2:])
			if err != nil {
				answer = "!" + strings.ReplaceAll(err.Error(), "\n", " ")
			}
			told.guard.Lock()
			fmt.Println(words[0], answer)
			told.guard.Unlock()
		}()
	}
}

func (told *peer) carryOut(verb string, terms []string) (string, error) {
	mutex, err := told.mutex(terms[0], terms[1])
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	switch verb {
	case "lock":
		return mutex.Key(), mutex.Lock(ctx)
	case "unlock":
		return "done", mutex.Unlock(ctx)
	case "increase":
		times, _ := strconv.Atoi(terms[3])
		return "done", told.increase(ctx, mutex, terms[2], times)
	case "sections":
		forMs, _ := strconv.Atoi(terms[2])
		count, err := sections(ctx, mutex, time.Duration(forMs)*time.Millisecond)
		return strconv.Itoa(count), err
	}
	return "", fmt.Errorf("no such order: %s", verb)
}

func (told *peer) mutex(session, name string) (*concurrency.Mutex, error) {
	told.guard.Lock()
	defer told.guard.Unlock()
	known := told.sessions[session]
	if known == nil {
		begun, err := concurrency.NewSession(told.client, concurrency.WithTTL(told.ttlSeconds))
		if err != nil {
			return nil, err
		}
		known = begun
		told.sessions[session] = begun
	}
	id := session + " " + name
	if told.mutexes[id] == nil {
		told.mutexes[id] = concurrency.NewMutex(known, name)
	}
	return told.mutexes[id], nil
}

func (told *peer) increase(ctx context.Context, mutex *concurrency.Mutex, key string, times int) error {
	for range times {
		if err := mutex.Lock(ctx); err != nil {
			return err
		}
		read, err := told.client.Get(ctx, key)
		if err != nil {
			return err
		}
		value := 0
		if len(read.Kvs) > 0 {
			value, _ = strconv.Atoi(string(read.Kvs[0].Value))
		}
		if _, err := told.client.Put(ctx, key, strconv.Itoa(value+1)); err != nil {
			return err
		}
		if err := mutex.Unlock(ctx); err != nil {
			return err
		}
	}
	return nil
}

func sections(ctx context.Context, mutex *concurrency.Mutex, period time.Duration) (int, error) {
	count := 0
	for end := time.Now().Add(period); time.Now().Before(end); count++ {
		if err := mutex.Lock(ctx); err != nil {
			return count, err
		}
		if err := mutex.Unlock(ctx); err != nil {
			return count, err
		}
	}
	return count, nil
}
