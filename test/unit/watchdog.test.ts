import { beforeEach, describe, expect, test } from 'vitest'
import { leaseDeadline } from '../../src/core/lease/lease.js'
import { Watchdog } from '../../src/core/lease/watchdog.js'
import type { Tenure } from '../../src/core/tenure/tenure.js'
import type { Owner } from '../../src/identity/owner.js'
import { VirtualClock } from '../../src/memory/index.js'
import { Schedule } from '../../src/time/schedule.js'
import { heldBy, root } from './scenery.js'
import { ScriptedPort, settle } from './scripted-port.js'
import { servicesOn } from './services.js'

const LEASE_MS = 300
const ROUND_MS = 100

let clock: VirtualClock
let schedule: Schedule
let port: ScriptedPort
let watchdog: Watchdog
let held: Tenure[]
let suspended: Owner[]
let lost: Tenure[]
let renewed: Tenure[]

beforeEach(() => {
  clock = new VirtualClock()
  schedule = new Schedule(clock, (error) => {
    throw error
  })
  port = new ScriptedPort()
  suspended = []
  lost = []
  renewed = []
  const services = servicesOn(
    port,
    schedule,
    (event, ...[payload]) => {
      if (event === 'suspended' && payload instanceof Object && 'owner' in payload)
        suspended.push(payload.owner)
    },
    { watchdogMs: LEASE_MS },
  )
  held = []
  watchdog = new Watchdog(
    services,
    held,
    (tenure) => lost.push(tenure),
    (tenure) => renewed.push(tenure),
  )
})

/** A watched tenure that was granted just now. */
function watched(number: number, renewUntil = Number.POSITIVE_INFINITY): Tenure {
  const tenure = heldBy(root(`client:${number}`), renewUntil, leaseDeadline(clock.now(), LEASE_MS))
  held.push(tenure)
  watchdog.watch(tenure)
  return tenure
}

describe('Watchdog', () => {
  test('L1: renews every third of the lease, for the whole lease', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS - 1)
    expect(port.renewals.all).toHaveLength(0)
    await clock.advance(1)
    expect(port.renewals.last.request).toMatchObject({ name: 'lock', owner: 'client:1', leaseMs: LEASE_MS })
    port.renewals.last.answer(true)
    await settle()
    expect(renewed).toEqual([tenure])
    expect(tenure.deadline).toBe(leaseDeadline(ROUND_MS, LEASE_MS))
    await clock.advance(ROUND_MS)
    expect(port.renewals.all).toHaveLength(2)
  })

  test('one handle and one batch, however many locks', async () => {
    for (let number = 1; number <= 500; number += 1) watched(number)
    expect(schedule.size).toBe(1)
    await clock.advance(ROUND_MS)
    expect(port.batches).toEqual([500])
  })

  test('L3: the lease counts from before the renewal was sent', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS)
    await clock.advance(50)
    port.renewals.last.answer(true)
    await settle()
    expect(tenure.deadline).toBe(leaseDeadline(ROUND_MS, LEASE_MS))
  })

  test('L3: an answer after the deadline is too late', async () => {
    const tenure = watched(1)
    const { deadline } = tenure
    await clock.advance(ROUND_MS)
    const { last } = port.renewals
    clock.skip(LEASE_MS)
    last.answer(true)
    await settle()
    expect(tenure.deadline).toBe(deadline)
    expect(renewed).toEqual([])
  })

  test('L4: "not yours" is loss at once', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS)
    port.renewals.last.answer(false)
    await settle()
    expect(lost).toEqual([tenure])
  })

  test('redisson#6962 L4: one lock’s failure delays no other lock’s renewal', async () => {
    watched(1)
    const healthy = watched(2)
    await clock.advance(ROUND_MS)
    port.renewals.all[0]?.fail(new Error('on purpose'))
    port.renewals.all[1]?.answer(true)
    await settle()
    expect(renewed).toEqual([healthy])
    expect(suspended).toEqual(['client:1'])
  })

  test('redisson#775 L4: a renewal that failed is tried again quickly, until it succeeds; suspended is told once', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS)
    port.renewals.last.fail(new Error('first'))
    await clock.advance(ROUND_MS / 10)
    expect(port.renewals.all).toHaveLength(2)
    port.renewals.last.fail(new Error('second'))
    await clock.advance(ROUND_MS / 10)
    expect(port.renewals.all).toHaveLength(3)
    expect(suspended).toEqual(['client:1'])
    port.renewals.last.answer(true)
    await settle()
    expect(renewed).toEqual([tenure])
    await clock.advance(ROUND_MS / 2)
    expect(port.renewals.all).toHaveLength(3)
    await clock.advance(ROUND_MS)
    port.renewals.last.fail(new Error('a new run of failures'))
    await settle()
    expect(suspended).toEqual(['client:1', 'client:1'])
  })

  test('L4: past the deadline nothing is tried again', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS)
    clock.skip(tenure.deadline - clock.now() - 1)
    port.renewals.last.fail(new Error('on purpose'))
    await settle()
    expect(schedule.size).toBe(1)
  })

  test('redisson#7272 L5: a renewal under way when the watch ended counts for nothing', async () => {
    const tenure = watched(1)
    await clock.advance(ROUND_MS)
    watchdog.unwatch(tenure)
    port.renewals.last.answer(false)
    await settle()
    expect(lost).toEqual([])
    expect(schedule.size).toBe(0)
  })

  test('L5: without anything to look after there is no handle', () => {
    const first = watched(1)
    const second = watched(2)
    expect(watchdog.size).toBe(2)
    watchdog.unwatch(first)
    expect(schedule.size).toBe(1)
    watchdog.unwatch(second)
    watchdog.unwatch(second)
    expect(schedule.size).toBe(0)
  })

  test('L5: maxHoldMs: renewed until its time, then no more', async () => {
    watched(1, 250)
    for (const rounds of [1, 2]) {
      await clock.advance(ROUND_MS)
      port.renewals.last.answer(true)
      expect(port.renewals.all).toHaveLength(rounds)
    }
    await clock.advance(10 * ROUND_MS)
    expect(port.renewals.all).toHaveLength(2)
    expect(watchdog.size).toBe(0)
  })

  test('L5: a tenure whose acquire is still under way is not renewed, but stays watched', async () => {
    const leased = heldBy(root('client:1'), undefined, 10_000)
    held.push(leased)
    watchdog.watch(leased)
    await clock.advance(ROUND_MS)
    expect(port.renewals.all).toHaveLength(0)
    expect(watchdog.size).toBe(1)
  })

  test('a grant that took long to arrive is renewed without waiting for the round', () => {
    const late = heldBy(root('client:1'), Number.POSITIVE_INFINITY, leaseDeadline(-2 * ROUND_MS, LEASE_MS))
    watchdog.watch(late)
    watchdog.hasten(late)
    expect(port.renewals.all).toHaveLength(1)
    const fresh = watched(2)
    watchdog.hasten(fresh)
    expect(port.renewals.all).toHaveLength(1)
  })

  test('stop ends all of it', async () => {
    watched(1)
    watched(2)
    watchdog.stop()
    expect(watchdog.size).toBe(0)
    await clock.advance(10 * ROUND_MS)
    expect(port.renewals.all).toHaveLength(0)
  })
})
