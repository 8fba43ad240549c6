import type { Entry } from './entry.js'
import { storeCatalog } from './stores/catalog.js'

const patience = 'waits without end'

/** The libraries on Redis. */
export const catalog: readonly Entry[] = [
  {
    name: 'holdfast',
    title: 'Holdfast',
    sort: 'ours',
    runtime: 'node',
    what: 'this project, `acquire` and `release` as the others',
    changed: 'nothing',
  },
  {
    name: 'holdfast-with-lock',
    title: 'Holdfast, withLock',
    sort: 'reference',
    runtime: 'node',
    what: 'this project, `withLock`: reentry by asynchronous context, for which Node before 24 slows every promise of the process',
    changed: 'nothing',
  },
  {
    name: 'holdfast-off',
    title: 'Holdfast, `lingerMs: 0`',
    sort: 'reference',
    runtime: 'node',
    what: 'this project, as above: every release frees the lock, as that of a lock which is taken once',
    changed: '`lingerMs: 0`',
  },
  {
    name: 'holdfast-fair',
    title: 'Holdfast, fairLock',
    sort: 'ours',
    runtime: 'node',
    what: 'this project, `fairLock`: first come, first served across processes',
    changed: 'nothing',
  },
  {
    name: 'floor',
    title: 'floor',
    sort: 'floor',
    runtime: 'node',
    what: 'raw `SET NX PX` + compare-and-delete by `EVALSHA` over ioredis',
    changed: 'polls every 10 ms when it finds the lock taken',
  },
  {
    name: 'in-turn',
    title: 'floor, in turn',
    sort: 'reference',
    runtime: 'node',
    what: 'two raw scripts over ioredis: one takes the lock or a place in line, one gives it to the next and tells its client',
    changed: 'nothing looks after a process that dies, or a lost message',
  },
  {
    name: 'ping',
    title: 'PING',
    sort: 'reference',
    runtime: 'node',
    what: 'one raw round trip over ioredis, no lock',
    changed: '',
  },
  {
    name: 'ping-rested',
    title: 'PING after a rest',
    sort: 'reference',
    runtime: 'node',
    what: 'one raw round trip of a process that has slept 25 ms before, as one that waits its turn has',
    changed: '',
  },
  {
    name: 'timers',
    title: 'timers',
    sort: 'reference',
    runtime: 'node',
    what: 'the sections of one process back to back, no lock and no server',
    changed: '',
  },
  {
    name: 'redlock-4',
    title: 'redlock 4',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `redlock`',
    changed: `\`retryCount: -1\` (${patience}); lease 10 s (none by default)`,
  },
  {
    name: 'redlock-5',
    title: 'redlock 5',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `redlock`, beta',
    changed: `\`retryCount: -1\` (${patience}); lease 10 s (none by default)`,
  },
  {
    name: 'sesamecare',
    title: 'sesamecare',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `@sesamecare-oss/redlock`',
    changed: `\`retryCount: -1\` (${patience}); lease 10 s (none by default)`,
  },
  {
    name: 'redis-semaphore',
    title: 'redis-semaphore',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `redis-semaphore`, `Mutex`',
    changed: `\`acquireTimeout: Infinity\` (${patience})`,
  },
  {
    name: 'verrou',
    title: 'verrou',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `@verrou/core`',
    changed: 'nothing',
    slow: true,
  },
  {
    name: 'redlock-universal',
    title: 'redlock-universal',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `redlock-universal`',
    changed: `\`retryAttempts\` as many as there are (${patience})`,
    slow: true,
  },
  {
    name: 'node-redisson',
    title: 'node-redisson',
    sort: 'peer',
    runtime: 'node',
    what: 'npm `node-redisson`',
    changed: 'nothing',
    slow: true,
  },
  {
    name: 'redisson',
    title: 'Redisson (JVM)',
    sort: 'elsewhere',
    runtime: 'jvm',
    what: '`RLock` in Java, one thread per waiter',
    changed: 'see bench/jvm/README.md',
  },
  {
    name: 'redisson-fair',
    title: 'Redisson (JVM), RFairLock',
    sort: 'elsewhere',
    runtime: 'jvm',
    what: '`RFairLock` in Java, one thread per waiter',
    changed: 'see bench/jvm/README.md',
  },
  {
    name: 'redisson-and-holdfast',
    title: 'Redisson (JVM) and Holdfast',
    sort: 'reference',
    runtime: 'jvm',
    what: 'both on one lock, in as many processes each',
    changed: 'nothing',
    sides: ['redisson', 'holdfast'],
  },
  {
    name: 'redsync',
    title: 'redsync (Go)',
    sort: 'elsewhere',
    runtime: 'go',
    what: 'go-redsync with go-redis',
    changed: 'see bench/go/README.md',
  },
  {
    name: 'rueidislock',
    title: 'rueidislock (Go)',
    sort: 'elsewhere',
    runtime: 'go',
    what: 'rueidis',
    changed: 'see bench/go/README.md',
  },
]

export function entryOf(name: string): Entry {
  const all = [...catalog, ...storeCatalog]
  const entry = all.find((candidate) => candidate.name === name)
  if (entry === undefined)
    throw new Error(`no library is called '${name}'; there are: ${all.map((known) => known.name).join(', ')}`)
  return entry
}

export const peers: readonly string[] = catalog.filter(({ sort }) => sort === 'peer').map(({ name }) => name)
