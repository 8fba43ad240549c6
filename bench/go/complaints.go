package main

import (
	"slices"
	"sync"
)

const complaintsAtMost = 5

// complaints are the first few different messages of what went wrong.
type complaints struct {
	mutex    sync.Mutex
	messages []string
}

func (c *complaints) add(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.messages) < complaintsAtMost && !slices.Contains(c.messages, err.Error()) {
		c.messages = append(c.messages, err.Error())
	}
}

// list is never nil: the protocol wants an array.
func (c *complaints) list() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string{}, c.messages...)
}
