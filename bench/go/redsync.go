package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// redsyncLibrary is redsync over go-redis, both at their defaults (random delays of 50 to 250 ms, go-redis's pool), but for the
// lease and for the tries: as many as it takes instead of 32, so that only the end of the round ends a wait.
type redsyncLibrary struct {
	redsync *redsync.Redsync
}

func openRedsync(r request) (library, error) {
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("%s:%d", r.Host, r.Port)})
	if err := client.Ping(context.Background()).Err(); err != nil {
		return nil, err
	}
	return redsyncLibrary{redsync: redsync.New(goredis.NewPool(client))}, nil
}

func (l redsyncLibrary) lock(key string) lock {
	return redsyncLock{mutex: l.redsync.NewMutex(key, redsync.WithExpiry(lease), redsync.WithTries(math.MaxInt))}
}

type redsyncLock struct {
	mutex *redsync.Mutex
}

func (l redsyncLock) acquire(ctx context.Context) (func() error, error) {
	if err := l.mutex.LockContext(ctx); err != nil {
		return nil, err
	}
	return l.release, nil
}

func (l redsyncLock) release() error {
	released, err := l.mutex.Unlock()
	if err == nil && !released {
		return errors.New("redsync: the lock was no longer ours at its release")
	}
	return err
}
