import type { HoldfastOptions } from '../../../src/index.js'
import { type Fault, faultsIn } from '../../mutants/fault.js'
import type { Finding } from '../checker/finding.js'
import type { Kind } from '../program/kinds.js'
import type { TopologyName } from '../topologies/topology.js'

interface Shown {
  readonly nemesis: string
  /** Where it shows. Default: one server, RESP2. */
  readonly topology?: TopologyName
  readonly kinds: readonly Kind[]
  readonly options?: HoldfastOptions
  readonly longWork?: boolean
  readonly caughtBy: ReadonlyArray<Finding['check']>
  /** Whether it is tried in the short run of the CI's. */
  readonly quick?: boolean
}

export type Mutant = Fault & Shown

const text = `
release.lua
release-by-anybody: a release frees the lock whoever holds it
- redis.call('HDEL', lock, owner) == 0
+ redis.call('DEL', lock) == 0
grant-untold: a grant in line is told to nobody
- redis.pcall(command or publish, channels .. client, message .. ' ' .. KEYS[1])
+ 1
wrong-process-told: a grant in line is told to another process than it is for
- local heard = tell(client, string.format('%d
+ local heard = tell(redis.call('HKEYS', processes)[1], string.format('%d
unlock-leaves-entry: an unlock leaves its owner in the lock, with a count of 0
- redis.call('HDEL', lock, owner) == 0
+ redis.call('HSET', lock, owner, '0') == 9
compute-once-sleeps-on: a computation has ended, and nobody is told
- redis.pcall(command or publish, channels .. client, message .. ' ' .. KEYS[1])
+ 1
renew.lua
renewal-never-notices: a renewal says that all is well although the lock is gone
- return 0
+ return 1
acquire.lua
grant-without-lease: a lock is granted without a lease, so it outlives its holder
- local leased = redis.pcall('PEXPIRE', lock, lease)
+ local leased = 1
anybody-is-the-owner: an acquire re-enters the hold of another owner
- local holder, since, held = holder_of(lock, owner)
+ local holder, since, held = holder_of(lock, owner)
+ held = held or 0
acquire.lua release.lua force-unlock.lua
away-not-passed-over: those who stand in line behind a process that is gone are not let in
- elseif it.away > 0 then
- index = index + 1
+ elseif it.away > 0 then
+ break
last-come-first-served: a fair lock is granted to whoever came last
- redis.call('ZRANGE', line, index, index)[1]
- if not place or place == me
+ redis.call('ZRANGE', line, -1 - index, -1 - index)[1]
+ if not place or place == me
rw-acquire.lua rw-release.lua
reader-beside-writer: a reader is admitted beside a writer
- return not writer or member == 'r:' .. writer
+ return true
permits-acquire.lua
uncounted-permits: permits that are taken stay available
- redis.pcall('DECRBY', semaphore, permits)
+ redis.pcall('DECRBY', semaphore, 0)
permits-release.lua
permits-from-nowhere: a release of permits gives back one more than was taken
- redis.pcall('INCRBY', semaphore, permits)
+ redis.pcall('INCRBY', semaphore, permits + 1)
no-word-of-permits: permits are given back, and nobody is told
- told = pass_on(client)
+ told = 0
no-word-of-permits-with-ids: permits that have ids are given back, and nobody is told
- told = pass_on(client)
+ told = 0
acquire.lua release.lua
token-stands-still: each tenure has the token of the one before
- redis.pcall('INCR', counter)
+ redis.pcall('INCRBY', counter, 0)
src/core/tenure/watchdog.ts
watchdog-asleep: the watchdog renews nothing
- this.#renewFrom(due, 0)
+ due.length = 0
src/core/tenure/orphans.ts
no-give-back: a grant that comes after its caller left is kept
- await this.services.port.abandon(undone())
+ await Promise.resolve()
src/stores/redis/connection/subscriber.ts
subscriptions-forgotten: a new connection is not subscribed to what the one before was
- Promise.all(channels.map((channel) => this.#renew(channel)))
+ Promise.resolve()
src/core/tenure/tenures.ts
deadline-ignored: a hold stands whatever the clock says
- if (now < tenure.deadline) return true
+ if (tenure.name !== undefined) return true
src/core/queue/queued-policy.ts
waiters-in-line-sleep-on: who stands in the line of a fair lock sleeps on, whatever it is told
- this.#resting.delete(waiter)
-     waiter.wake()
+ this.#resting.delete(waiter)
readers-in-line-sleep-on: who stands in the line of a read-write lock sleeps on, whatever it is told
- this.#resting.delete(waiter)
-     waiter.wake()
+ this.#resting.delete(waiter)
latch-count-down.lua
no-word-of-open-latches: a latch opens, and nobody is told
- left == 0 and announce(ARGV[2], ARGV[1], '0') or 0
+ 0
src/base/time/back-off.ts
asks-too-rarely: the pauses of a spin lock are far too long
- Math.min(firstPauseMs * factor ** Math.max(attempts - 1, 0), longestPauseMs)
+ 1_000 * longestPauseMs
src/stores/redis/connection/shard-subscriptions.ts
slot-not-followed: a subscription stays away for long when its slot has moved
- this.#schedule.clock.now() + retryPauseMs(failures), ()
+ this.#schedule.clock.now() + 60_000 * retryPauseMs(failures), ()
src/stores/rows/permits.ts
permits-of-a-row-uncounted: permits that are taken stay available in their row
- this.available -= permits
+ this.available -= 0
src/stores/rows/exclusive-lock.ts
lease-of-a-row-ignored: a row whose lease runs is taken for free
- (body.endsAt <= now ||
+ (body.endsAt <= now + 60_000 ||
tie-not-looked-at: a lock is granted although a transaction that is still open is tied to it
- if (draft.tieEnded?.(tie)) delete
+ delete
src/stores/postgres/statements.ts
version-ignored: a row is written whatever was written since it was read
-  AND r.version = $3::bigint RETURNING true
+  AND r.version >= 0 * $3::bigint RETURNING true
messages-unsent: the server is not asked to notify anybody
- SELECT pg_notify(m.channel, m.payload) FROM written
+ SELECT m.channel || m.payload FROM written
src/stores/rows/next-fence.ts
token-of-the-replica: a replica that took over goes on from the last token that it knows
- last === undefined || last < clock ? clock
+ last === undefined ? clock
src/stores/mysql/statements.ts
held-row-taken: a row that is held is taken
- '(ends_at IS NULL OR ends_at <= UTC_TIMESTAMP(6)) AND rest IS NULL'
+ '(ends_at IS NULL OR TRUE) AND rest IS NULL'
src/stores/sqlite/express.ts
held-row-of-a-file-taken: a row of a file that is held is taken
- WHERE (owner IS NULL OR ends_at <= ?5) AND
+ WHERE (owner IS NULL OR ends_at >= 0) AND
src/stores/session/turns.ts
second-in-line-admitted: who stands behind one other has the lock beside it
- if (mode !== 'read') return ahead.at(-1)
+ if (mode !== 'read') return ahead.at(-2)
src/stores/etcd/client/watches.ts
end-of-the-one-before-unheard: that a watched entry has gone is told to nobody
- else if (endedAt > 0n) watch.listener?.ended?.(endedAt)
src/stores/etcd/leases.ts
lease-of-etcd-outlived: a client believes in its session for far longer than etcd keeps it
- aliveMs: ttlMs - (ttlMs * 0.01 + 2)
+ aliveMs: 9 * ttlMs
src/stores/zookeeper/sessions.ts
session-outlived: a client believes in its session for far longer than ZooKeeper keeps it
- const SURE = 0.75
+ const SURE = 4
`

const inRows = { topology: 'postgres' } as const
const killed = { nemesis: 'kill', options: { watchdogMs: 9_000 } }
const paused = { nemesis: 'pause', longWork: true }

/** Where each is seen, and by what it is caught: of plain locks in calm, unless it says so. */
const shown: Readonly<Record<string, Partial<Shown>>> = {
  'release-by-anybody': { nemesis: 'proxy-cut', caughtBy: ['exclusion', 'unnoticed', 'wrong'] },
  'grant-untold': { quick: true, caughtBy: ['idle'] },
  'wrong-process-told': { kinds: ['fair'], quick: true, caughtBy: ['idle'] },
  'unlock-leaves-entry': { caughtBy: ['idle', 'stuck'] },
  'compute-once-sleeps-on': { kinds: ['compute-once'], caughtBy: ['idle'] },
  'renewal-never-notices': {
    nemesis: 'delete-key',
    options: { watchdogMs: 300 },
    longWork: true,
    caughtBy: ['unnoticed'],
  },
  'grant-without-lease': { ...killed, longWork: true, caughtBy: ['stuck', 'idle', 'leftover'] },
  'anybody-is-the-owner': { quick: true, caughtBy: ['exclusion'] },
  'away-not-passed-over': { ...killed, kinds: ['fair'], caughtBy: ['order', 'idle'] },
  'last-come-first-served': { kinds: ['fair'], quick: true, caughtBy: ['order'] },
  'reader-beside-writer': { kinds: ['read-write'], quick: true, caughtBy: ['exclusion'] },
  'uncounted-permits': { kinds: ['semaphore'], caughtBy: ['exclusion'] },
  'permits-from-nowhere': { kinds: ['permits'], caughtBy: ['exclusion', 'permits'] },
  'no-word-of-permits': { kinds: ['semaphore'], caughtBy: ['idle'] },
  'no-word-of-permits-with-ids': { kinds: ['permits'], caughtBy: ['idle'] },
  'token-stands-still': { kinds: ['fenced'], caughtBy: ['fence'] },
  'watchdog-asleep': { options: { watchdogMs: 600 }, longWork: true, caughtBy: ['wrong'] },
  'no-give-back': { nemesis: 'proxy-delay', caughtBy: ['idle', 'leftover'] },
  'subscriptions-forgotten': { nemesis: 'client-kill', caughtBy: ['idle'] },
  'deadline-ignored': { ...paused, caughtBy: ['exclusion'] },
  'waiters-in-line-sleep-on': { kinds: ['fair'], caughtBy: ['idle'] },
  'readers-in-line-sleep-on': { kinds: ['read-write'], caughtBy: ['idle'] },
  'no-word-of-open-latches': { kinds: ['latch'], caughtBy: ['idle'] },
  'asks-too-rarely': { kinds: ['spin'], caughtBy: ['idle'] },
  'slot-not-followed': { nemesis: 'move-slot', topology: 'cluster', caughtBy: ['idle'] },
  'permits-of-a-row-uncounted': { ...inRows, kinds: ['semaphore'], quick: true, caughtBy: ['exclusion'] },
  'lease-of-a-row-ignored': { ...inRows, caughtBy: ['exclusion', 'unnoticed'] },
  'tie-not-looked-at': { ...inRows, quick: true, caughtBy: ['exclusion'] },
  'version-ignored': {
    ...inRows,
    kinds: ['lock', 'semaphore'],
    quick: true,
    caughtBy: ['exclusion', 'permits', 'unnoticed', 'wrong'],
  },
  'messages-unsent': { ...inRows, caughtBy: ['idle'] },
  'token-of-the-replica': {
    nemesis: 'failover',
    topology: 'postgres-async',
    kinds: ['fenced'],
    caughtBy: ['fence'],
  },
  'held-row-taken': { topology: 'mariadb', caughtBy: ['exclusion', 'unnoticed'] },
  'held-row-of-a-file-taken': { topology: 'sqlite', caughtBy: ['exclusion', 'unnoticed'] },
  'second-in-line-admitted': { topology: 'etcd', quick: true, caughtBy: ['exclusion', 'unnoticed'] },
  'end-of-the-one-before-unheard': { topology: 'etcd', caughtBy: ['idle'] },
  'lease-of-etcd-outlived': { ...paused, topology: 'etcd', caughtBy: ['exclusion', 'unnoticed'] },
  'session-outlived': { ...paused, topology: 'zookeeper', quick: true, caughtBy: ['exclusion', 'unnoticed'] },
}

export const mutants: readonly Mutant[] = faultsIn(text).map((fault) => ({
  ...fault,
  ...{ nemesis: 'calm', kinds: ['lock'], caughtBy: [] },
  ...shown[fault.name],
}))
