package main

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"sync"
)

// section is one pass through the lock, in the order of the record file.
type section struct {
	waiter, requestedAt, enteredAt, leftAt float64
}

const pageSections = 1 << 14

// sectionLog keeps the sections of one round in memory until it is over.
type sectionLog struct {
	mutex  sync.Mutex
	atMost int
	count  int
	pages  [][]section
}

func (l *sectionLog) add(passed section) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.count == l.atMost {
		return
	}
	if l.count%pageSections == 0 {
		l.pages = append(l.pages, make([]section, 0, pageSections))
	}
	l.count++
	last := len(l.pages) - 1
	l.pages[last] = append(l.pages[last], passed)
}

func (l *sectionLog) write(path string) (err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	var row [32]byte
	for _, page := range l.pages {
		for _, passed := range page {
			for index, value := range [...]float64{passed.waiter, passed.requestedAt, passed.enteredAt, passed.leftAt} {
				binary.LittleEndian.PutUint64(row[index*8:], math.Float64bits(value))
			}
			if _, err := buffered.Write(row[:]); err != nil {
				return err
			}
		}
	}
	return buffered.Flush()
}
