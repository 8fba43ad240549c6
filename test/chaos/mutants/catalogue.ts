import type { HoldfastOptions } from '../../../src/index.js'
import type { Fault } from '../../mutants/fault.js'
import type { Finding } from '../checker/finding.js'
import type { Kind } from '../program/kinds.js'
import type { TopologyName } from '../topologies/topology.js'

export interface Mutant extends Fault {
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

const LINE = ['acquire.lua', 'release.lua', 'force-unlock.lua']

interface Row extends Pick<Fault, 'fault' | 'in'> {
  /** The text that is in the library, and what it becomes. */
  readonly swap: readonly [text: string, becomes: string]
  /** Where, and by what it is caught: of plain locks in calm, unless it says so. */
  readonly shown: Pick<Mutant, 'caughtBy'> & Partial<Omit<Mutant, keyof Fault>>
}

const rows: Readonly<Record<string, Row>> = {
  'release-by-anybody': {
    fault: 'a release frees the lock whoever holds it',
    in: { scripts: ['release.lua'] },
    swap: ["redis.call('HDEL', lock, owner) == 0", "redis.call('DEL', lock) == 0"],
    shown: { nemesis: 'proxy-cut', caughtBy: ['exclusion', 'unnoticed', 'wrong'] },
  },
  'renewal-never-notices': {
    fault: 'a renewal says that all is well although the lock is gone',
    in: { scripts: ['renew.lua'] },
    swap: ['return 0', 'return 1'],
    shown: { nemesis: 'delete-key', options: { watchdogMs: 300 }, longWork: true, caughtBy: ['unnoticed'] },
  },
  'grant-without-lease': {
    fault: 'a lock is granted without a lease, so it outlives its holder',
    in: { scripts: ['acquire.lua'] },
    swap: ["local leased = redis.pcall('PEXPIRE', lock, lease)", 'local leased = 1'],
    shown: {
      nemesis: 'kill',
      options: { watchdogMs: 9_000 },
      longWork: true,
      caughtBy: ['stuck', 'idle', 'leftover'],
    },
  },
  'grant-untold': {
    fault: 'a grant in line is told to nobody',
    in: { scripts: ['release.lua'] },
    swap: ["redis.pcall(command or publish, channels .. client, message .. ' ' .. KEYS[1])", '1'],
    shown: { caughtBy: ['idle'], quick: true },
  },
  'wrong-process-told': {
    fault: 'a grant in line is told to another process than it is for',
    in: { scripts: ['release.lua'] },
    swap: [
      "local heard = tell(client, string.format('%d",
      "local heard = tell(redis.call('HKEYS', processes)[1], string.format('%d",
    ],
    shown: { kinds: ['fair'], caughtBy: ['idle'], quick: true },
  },
  'away-not-passed-over': {
    fault: 'those who stand in line behind a process that is gone are not let in',
    in: { scripts: LINE },
    swap: ['elseif it.away > 0 then\nindex = index + 1', 'elseif it.away > 0 then\nbreak'],
    shown: { nemesis: 'kill', kinds: ['fair'], options: { watchdogMs: 9_000 }, caughtBy: ['order', 'idle'] },
  },
  'anybody-is-the-owner': {
    fault: 'an acquire re-enters the hold of another owner',
    in: { scripts: ['acquire.lua'] },
    swap: [
      'local holder, since, held = holder_of(lock, owner)',
      'local holder, since, held = holder_of(lock, owner)\nheld = held or 0',
    ],
    shown: { caughtBy: ['exclusion'], quick: true },
  },
  'reader-beside-writer': {
    fault: 'a reader is admitted beside a writer',
    in: { scripts: ['rw-acquire.lua', 'rw-release.lua'] },
    swap: ["return not writer or member == 'r:' .. writer", 'return true'],
    shown: { kinds: ['read-write'], caughtBy: ['exclusion'], quick: true },
  },
  'uncounted-permits': {
    fault: 'permits that are taken stay available',
    in: { scripts: ['permits-acquire.lua'] },
    swap: ["redis.pcall('DECRBY', semaphore, permits)", "redis.pcall('DECRBY', semaphore, 0)"],
    shown: { kinds: ['semaphore'], caughtBy: ['exclusion'] },
  },
  'permits-from-nowhere': {
    fault: 'a release of permits gives back one more than was taken',
    in: { scripts: ['permits-release.lua'] },
    swap: ["redis.pcall('INCRBY', semaphore, permits)", "redis.pcall('INCRBY', semaphore, permits + 1)"],
    shown: { kinds: ['permits'], caughtBy: ['exclusion', 'permits'] },
  },
  'last-come-first-served': {
    fault: 'a fair lock is granted to whoever came last',
    in: { scripts: LINE },
    swap: [
      "redis.call('ZRANGE', line, index, index)[1]\nif not place or place == me",
      "redis.call('ZRANGE', line, -1 - index, -1 - index)[1]\nif not place or place == me",
    ],
    shown: { kinds: ['fair'], caughtBy: ['order'], quick: true },
  },
  'token-stands-still': {
    fault: 'each tenure has the token of the one before',
    in: { scripts: ['acquire.lua', 'release.lua'] },
    swap: ["redis.pcall('INCR', counter)", "redis.pcall('INCRBY', counter, 0)"],
    shown: { kinds: ['fenced'], caughtBy: ['fence'] },
  },
  'watchdog-asleep': {
    fault: 'the watchdog renews nothing',
    in: { source: 'src/core/lease/watchdog.ts' },
    swap: ['this.#renewFrom(due, 0)', 'due.length = 0'],
    shown: { options: { watchdogMs: 600 }, longWork: true, caughtBy: ['wrong'] },
  },
  'unlock-leaves-entry': {
    fault: 'an unlock leaves its owner in the lock, with a count of 0',
    in: { scripts: ['release.lua'] },
    swap: ["redis.call('HDEL', lock, owner) == 0", "redis.call('HSET', lock, owner, '0') == 9"],
    shown: { caughtBy: ['idle', 'stuck'] },
  },
  'no-give-back': {
    fault: 'a grant that comes after its caller left is kept',
    in: { source: 'src/core/tenure/orphans.ts' },
    swap: ['await this.services.port.abandon(undone())', 'await Promise.resolve()'],
    shown: { nemesis: 'proxy-delay', caughtBy: ['idle', 'leftover'] },
  },
  'subscriptions-forgotten': {
    fault: 'a new connection is not subscribed to what the one before was',
    in: { source: 'src/stores/redis/connection/subscriber.ts' },
    swap: ['Promise.all(channels.map((channel) => this.#renew(channel)))', 'Promise.resolve()'],
    shown: { nemesis: 'client-kill', caughtBy: ['idle'] },
  },
  'deadline-ignored': {
    fault: 'a hold stands whatever the clock says',
    in: { source: 'src/core/tenure/tenures.ts' },
    swap: ['if (now < tenure.deadline) return true', 'if (tenure.name !== undefined) return true'],
    shown: { nemesis: 'pause', longWork: true, caughtBy: ['exclusion'] },
  },
  'waiters-in-line-sleep-on': {
    fault: 'who stands in the line of a fair lock sleeps on, whatever it is told',
    in: { source: 'src/core/queue/queued-policy.ts' },
    swap: ['this.#resting.delete(waiter)\n    waiter.wake()', 'this.#resting.delete(waiter)'],
    shown: { kinds: ['fair'], caughtBy: ['idle'] },
  },
  'readers-in-line-sleep-on': {
    fault: 'who stands in the line of a read-write lock sleeps on, whatever it is told',
    in: { source: 'src/core/queue/queued-policy.ts' },
    swap: ['this.#resting.delete(waiter)\n    waiter.wake()', 'this.#resting.delete(waiter)'],
    shown: { kinds: ['read-write'], caughtBy: ['idle'] },
  },
  'no-word-of-permits': {
    fault: 'permits are given back, and nobody is told',
    in: { scripts: ['permits-release.lua'] },
    swap: ['told = pass_on(client)', 'told = 0'],
    shown: { kinds: ['semaphore'], caughtBy: ['idle'] },
  },
  'no-word-of-permits-with-ids': {
    fault: 'permits that have ids are given back, and nobody is told',
    in: { scripts: ['permits-release.lua'] },
    swap: ['told = pass_on(client)', 'told = 0'],
    shown: { kinds: ['permits'], caughtBy: ['idle'] },
  },
  'no-word-of-open-latches': {
    fault: 'a latch opens, and nobody is told',
    in: { scripts: ['latch-count-down.lua'] },
    swap: ["left == 0 and announce(ARGV[2], ARGV[1], '0') or 0", '0'],
    shown: { kinds: ['latch'], caughtBy: ['idle'] },
  },
  'asks-too-rarely': {
    fault: 'the pauses of a spin lock are far too long',
    in: { source: 'src/base/time/back-off.ts' },
    swap: [
      'Math.min(firstPauseMs * factor ** Math.max(attempts - 1, 0), longestPauseMs)',
      '1_000 * longestPauseMs',
    ],
    shown: { kinds: ['spin'], caughtBy: ['idle'] },
  },
  'compute-once-sleeps-on': {
    fault: 'a computation has ended, and nobody is told',
    in: { scripts: ['release.lua'] },
    swap: ["redis.pcall(command or publish, channels .. client, message .. ' ' .. KEYS[1])", '1'],
    shown: { kinds: ['compute-once'], caughtBy: ['idle'] },
  },
  'slot-not-followed': {
    fault: 'a subscription stays away for long when its slot has moved',
    in: { source: 'src/stores/redis/connection/shard-subscriptions.ts' },
    swap: [
      'this.#schedule.clock.now() + retryPauseMs(failures), ()',
      'this.#schedule.clock.now() + 60_000 * retryPauseMs(failures), ()',
    ],
    shown: { nemesis: 'move-slot', topology: 'cluster', caughtBy: ['idle'] },
  },
  'permits-of-a-row-uncounted': {
    fault: 'permits that are taken stay available in their row',
    in: { source: 'src/stores/rows/permits.ts' },
    swap: ['this.available -= permits', 'this.available -= 0'],
    shown: { topology: 'postgres', kinds: ['semaphore'], caughtBy: ['exclusion'], quick: true },
  },
  'lease-of-a-row-ignored': {
    fault: 'a row whose lease runs is taken for free',
    in: { source: 'src/stores/rows/exclusive-lock.ts' },
    swap: ['(body.endsAt <= now ||', '(body.endsAt <= now + 60_000 ||'],
    shown: { topology: 'postgres', caughtBy: ['exclusion', 'unnoticed'] },
  },
  'tie-not-looked-at': {
    fault: 'a lock is granted although a transaction that is still open is tied to it',
    in: { source: 'src/stores/rows/exclusive-lock.ts' },
    swap: ['if (draft.tieEnded?.(tie)) delete', 'delete'],
    shown: { topology: 'postgres', caughtBy: ['exclusion'], quick: true },
  },
  'version-ignored': {
    fault: 'a row is written whatever was written since it was read',
    in: { source: 'src/stores/postgres/statements.ts' },
    swap: [' AND r.version = $3::bigint RETURNING true', ' AND r.version >= 0 * $3::bigint RETURNING true'],
    shown: {
      topology: 'postgres',
      kinds: ['lock', 'semaphore'],
      caughtBy: ['exclusion', 'permits', 'unnoticed', 'wrong'],
      quick: true,
    },
  },
  'messages-unsent': {
    fault: 'the server is not asked to notify anybody',
    in: { source: 'src/stores/postgres/statements.ts' },
    swap: [
      'SELECT pg_notify(m.channel, m.payload) FROM written',
      'SELECT m.channel || m.payload FROM written',
    ],
    shown: { topology: 'postgres', caughtBy: ['idle'] },
  },
  'token-of-the-replica': {
    fault: 'a replica that took over goes on from the last token that it knows',
    in: { source: 'src/stores/rows/next-fence.ts' },
    swap: ['last === undefined || last < clock ? clock', 'last === undefined ? clock'],
    shown: { nemesis: 'failover', topology: 'postgres-async', kinds: ['fenced'], caughtBy: ['fence'] },
  },
  'held-row-taken': {
    fault: 'a row that is held is taken',
    in: { source: 'src/stores/mysql/statements.ts' },
    swap: [
      "'(ends_at IS NULL OR ends_at <= UTC_TIMESTAMP(6)) AND rest IS NULL'",
      "'(ends_at IS NULL OR TRUE) AND rest IS NULL'",
    ],
    shown: { topology: 'mariadb', caughtBy: ['exclusion', 'unnoticed'] },
  },
  'held-row-of-a-file-taken': {
    fault: 'a row of a file that is held is taken',
    in: { source: 'src/stores/sqlite/express.ts' },
    swap: ['WHERE (owner IS NULL OR ends_at <= ?5) AND', 'WHERE (owner IS NULL OR ends_at >= 0) AND'],
    shown: { topology: 'sqlite', caughtBy: ['exclusion', 'unnoticed'] },
  },
  'second-in-line-admitted': {
    fault: 'who stands behind one other has the lock beside it',
    in: { source: 'src/stores/session/turns.ts' },
    swap: ["if (mode !== 'read') return ahead.at(-1)", "if (mode !== 'read') return ahead.at(-2)"],
    shown: { topology: 'etcd', caughtBy: ['exclusion', 'unnoticed'], quick: true },
  },
  'end-of-the-one-before-unheard': {
    fault: 'that a watched entry has gone is told to nobody',
    in: { source: 'src/stores/etcd/client/watches.ts' },
    swap: ['else if (endedAt > 0n) watch.listener?.ended?.(endedAt)', ''],
    shown: { topology: 'etcd', caughtBy: ['idle'] },
  },
  'lease-of-etcd-outlived': {
    fault: 'a client believes in its session for far longer than etcd keeps it',
    in: { source: 'src/stores/etcd/leases.ts' },
    swap: ['aliveMs: ttlMs - (ttlMs * 0.01 + 2)', 'aliveMs: 9 * ttlMs'],
    shown: { nemesis: 'pause', topology: 'etcd', longWork: true, caughtBy: ['exclusion', 'unnoticed'] },
  },
  'session-outlived': {
    fault: 'a client believes in its session for far longer than ZooKeeper keeps it',
    in: { source: 'src/stores/zookeeper/sessions.ts' },
    swap: ['const SURE = 0.75', 'const SURE = 4'],
    shown: {
      nemesis: 'pause',
      topology: 'zookeeper',
      longWork: true,
      caughtBy: ['exclusion', 'unnoticed'],
      quick: true,
    },
  },
}

export const mutants = Object.entries(rows).map(
  ([
    name,
    {
      swap: [text, becomes],
      shown,
      ...row
    },
  ]): Mutant => ({
    ...row,
    ...{ name, text, becomes, nemesis: 'calm', kinds: ['lock'], ...shown },
  }),
)
