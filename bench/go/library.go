package main

import (
	"context"
	"runtime/debug"
	"time"
)

// lease is what the driver protocol asks for: 10 s, as both libraries' defaults are shorter (redsync 8 s, rueidislock 5 s).
const lease = 10 * time.Second

// lock is one waiter's handle. acquire waits until ctx ends and returns what releases the lock.
type lock interface {
	acquire(ctx context.Context) (release func() error, err error)
}

// library is one client of the server, connected.
type library interface {
	lock(key string) lock
}

type opener struct {
	module string
	open   func(r request) (library, error)
}

var libraries = map[string]opener{
	"redsync":     {module: "github.com/go-redsync/redsync/v4", open: openRedsync},
	"rueidislock": {module: "github.com/redis/rueidis", open: openRueidislock},
	"go-mutex":    {module: "go.etcd.io/etcd/client/v3", open: openConcurrency},
}

// version is what the binary was built with.
func (o opener) version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dependency := range build.Deps {
		if dependency.Path == o.module {
			return dependency.Version
		}
	}
	return "unknown"
}
