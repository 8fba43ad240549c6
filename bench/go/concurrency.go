package main

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// concurrencyLibrary is concurrency.Mutex of etcd's own client, at its defaults but for the time to live of sessions: the lease all
// libraries get. Each waiter has a session of its own, because two mutexes of one session and one name are one entry in line.
type concurrencyLibrary struct {
	client *clientv3.Client
}

const dialTimeout = 5 * time.Second

func openConcurrency(r request) (library, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{fmt.Sprintf("%s:%d", r.Host, r.Port)},
		DialTimeout: dialTimeout,
		Logger:      zap.NewNop(),
	})
	if err != nil {
		return nil, err
	}
	return concurrencyLibrary{client: client}, nil
}

func (l concurrencyLibrary) lock(key string) lock {
	session, err := concurrency.NewSession(l.client, concurrency.WithTTL(int(lease/time.Second)))
	if err != nil {
		return concurrencyLock{failure: err}
	}
	return concurrencyLock{mutex: concurrency.NewMutex(session, key)}
}

type concurrencyLock struct {
	mutex   *concurrency.Mutex
	failure error
}

func (l concurrencyLock) acquire(ctx context.Context) (func() error, error) {
	if l.failure != nil {
		return nil, l.failure
	}
	if err := l.mutex.Lock(ctx); err != nil {
		return nil, err
	}
	return func() error { return l.mutex.Unlock(context.Background()) }, nil
}
