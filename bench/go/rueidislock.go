package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// rueidislockLibrary is one rueidislock.Locker for the process, at its defaults but for
//   - KeyMajority 1 instead of 2: the default takes two of three keys, which is for three servers; its manual asks for 1 with one;
//   - KeyValidity, the lease; ExtendInterval stays at what it was by default (half of the default validity);
//   - KeyPrefix, so that the keys lie under the benchmark's own.
//
// Its waits end with the context only, so they are patient as they are.
type rueidislockLibrary struct {
	locker rueidislock.Locker
}

const extendInterval = 2500 * time.Millisecond

func openRueidislock(r request) (library, error) {
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption:   rueidis.ClientOption{InitAddress: []string{fmt.Sprintf("%s:%d", r.Host, r.Port)}},
		KeyPrefix:      r.Key,
		KeyMajority:    1,
		KeyValidity:    lease,
		ExtendInterval: extendInterval,
	})
	if err != nil {
		return nil, err
	}
	return rueidislockLibrary{locker: locker}, nil
}

func (l rueidislockLibrary) lock(key string) lock {
	return rueidisLock{locker: l.locker, name: key}
}

type rueidisLock struct {
	locker rueidislock.Locker
	name   string
}

// acquire gives the locker a context of its own. A rueidislock hold ends with the context it was acquired with, so the end of all
// waits must not reach a section that is under way.
func (l rueidisLock) acquire(waits context.Context) (func() error, error) {
	own, abort := context.WithCancel(context.WithoutCancel(waits))
	detach := context.AfterFunc(waits, abort)
	_, release, err := l.locker.WithContext(own, l.name)
	if err != nil {
		abort()
		return nil, err
	}
	if !detach() {
		// The end of the waits came together with the grant, which is void.
		release()
		return nil, waits.Err()
	}
	return func() error {
		// Returns when the key is deleted; it has no error to report.
		release()
		abort()
		return nil
	}, nil
}
