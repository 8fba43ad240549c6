import { beforeEach, describe, expect, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import { leaseDeadline } from '../../src/port/lease.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { Heartbeat } from '../../src/stores/redis/watchdog-thread/heartbeat.js'
import { instantOf, leaseTimeOf, type SharedClocks } from '../../src/stores/redis/watchdog-thread/instant.js'
import type { Report } from '../../src/stores/redis/watchdog-thread/messages.js'
import { SharedDeadline } from '../../src/stores/redis/watchdog-thread/shared-deadline.js'
import { WatchList } from '../../src/stores/redis/watchdog-thread/watch-list.js'
import { ScriptedPort, settle } from '../unit/scripted-port.js'

const LEASE_MS = 300
const ROUND_MS = LEASE_MS / 3
const MAX_BLOCKED_MS = 1_000

let clock: VirtualClock
let shared: SharedClocks
let port: ScriptedPort
let heartbeat: Heartbeat
let deadlines: Map<number, SharedDeadline>
let schedule: Schedule
let list: WatchList
let reports: Report[]

beforeEach(async () => {
  clock = new VirtualClock()
  await clock.advance(10_000)
  shared = { monotonicUs: () => clock.now() * 1_000, wallUs: () => clock.now() * 1_000 }
  port = new ScriptedPort()
  heartbeat = new Heartbeat(undefined, shared)
  heartbeat.beat()
  schedule = new Schedule(clock, (error) => {
    throw error
  })
  reports = []
  const settings = { leaseMs: LEASE_MS, maxBlockedMs: MAX_BLOCKED_MS }
  const tell = (report: Report): number => reports.push(report)
  list = new WatchList(settings, (requests) => port.renew(requests), schedule, heartbeat, tell, shared)
  deadlines = new Map()
})

const terms = (deadline: number, renewUntil = Number.POSITIVE_INFINITY) => ({
  deadline: instantOf(deadline, clock, shared),
  renewUntil: instantOf(renewUntil, clock, shared),
})

function watch(id: number, renewUntil?: number, deadline = leaseDeadline(clock.now(), LEASE_MS)): void {
  const holder = { of: 'lock', name: 'lock', owner: `main:${id}` } as const
  const shared = new SharedDeadline()
  deadlines.set(id, shared)
  list.carryOut({ kind: 'watch', id, memory: shared.memory, ...holder, ...terms(deadline, renewUntil) })
}

/** Lets a round come, answers what it sent, and tells how much that was. */
async function round(answer: boolean | Error = true): Promise<number> {
  const before = port.renewals.all.length
  await clock.advance(ROUND_MS)
  const sent = port.renewals.all.slice(before)
  for (const renewal of sent) {
    if (answer instanceof Error) renewal.fail(answer)
    else renewal.answer(answer)
  }
  await settle()
  await settle()
  return sent.length
}

function deadlineOf(id: number): number | 'lost' | undefined {
  const deadline = deadlines.get(id)
  const told = deadline?.read(deadline.stamp)
  return typeof told === 'object' ? leaseTimeOf(told, clock, shared) : told
}

describe('WatchList', () => {
  test('the first lease is renewed at once, so that the connection is there in time; the next is not', () => {
    watch(1)
    expect(port.renewals.all).toHaveLength(1)
    watch(2)
    expect(port.renewals.all).toHaveLength(1)
  })

  test('every third of the lease all is renewed in one flight, written down, and told in one message', async () => {
    for (const id of [1, 2, 3]) watch(id)
    expect(await round()).toBe(3)
    expect(port.batches.at(-1)).toBe(3)
    for (const id of [1, 2, 3]) expect(deadlineOf(id)).toBeCloseTo(leaseDeadline(clock.now(), LEASE_MS), 2)
    expect(reports).toEqual([{ kind: 'renewed', ids: [1, 2, 3] }])
    expect(await round()).toBe(3)
  })

  test('past its deadline nothing is renewed any more, until the main thread has got through', async () => {
    watch(1)
    for (let rounds = 0; rounds < 3; rounds += 1) await round(new Error('unreachable'))
    const sent = port.renewals.all.length
    await clock.advance(10 * ROUND_MS)
    heartbeat.beat()
    expect(port.renewals.all).toHaveLength(sent)
    list.carryOut({ kind: 'update', id: 1, ...terms(leaseDeadline(clock.now(), LEASE_MS)) })
    expect(await round()).toBe(1)
    expect(deadlineOf(1)).toBeCloseTo(leaseDeadline(clock.now(), LEASE_MS), 2)
  })

  test('L5: an answer that comes after the watch has ended is written nowhere', async () => {
    watch(1)
    await clock.advance(ROUND_MS)
    list.carryOut({ kind: 'unwatch', id: 1 })
    port.renewals.last.answer(true)
    await settle()
    await settle()
    expect(deadlineOf(1)).toBeUndefined()
    expect(reports).toEqual([])
    expect(schedule.size).toBe(0)
  })

  test('a lease with little time left is renewed without waiting for the round', () => {
    watch(1)
    watch(2, undefined, clock.now() + ROUND_MS)
    expect(port.renewals.last.request.owner).toBe('main:2')
  })

  test('maxBlockedMs: a main thread that is not seen for longer keeps nothing; one that comes back in time keeps all', async () => {
    watch(1)
    watch(2)
    let rounds = 0
    while ((await round()) > 0) rounds += 1
    expect(rounds).toBe(MAX_BLOCKED_MS / ROUND_MS)
    heartbeat.beat()
    list.carryOut({ kind: 'awake' })
    expect(await round()).toBe(2)
    expect(deadlineOf(1)).toBeGreaterThan(clock.now())
    expect(reports.map(({ kind }) => kind)).not.toContain('lost')
  })
})
