/** What a release comes to that the store does not answer, and by when, in virtual time. */
import { describe, expect, test } from 'vitest'
import { LEAST_ANSWER_MS } from '../../src/core/acquire/outage.js'
import { fencedLock, lock } from '../../src/kinds/kinds.js'
import { leaseDeadline } from '../../src/port/lease.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { FallingSilent } from './falling-silent.js'
import { type End, endOf } from './in-virtual-time.js'
import { root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const STORE_TIMEOUT_MS = 10_000
const TOO_LATE = { error: { code: 'STORE_ERROR', reason: 'timeout', transient: true } }

/** The end of the lease as its holder counts it. */
const LEASE = { leaseMs: 1_000 } as const
const LEASE_END_MS = leaseDeadline(0, LEASE.leaseMs)

function world(commandTimeoutMs: number, kind = lock) {
  const clock = new VirtualClock()
  const port = new FallingSilent(clock, commandTimeoutMs)
  const terms = { maxHandOvers: Number.POSITIVE_INFINITY, handOverSliceMs: 60_000, watchdogMs: 600_000 }
  const scripted = new ScriptedLocker(port, { clock, kind, storeTimeoutMs: STORE_TIMEOUT_MS, ...terms })
  return { clock, port, scripted, locker: scripted.locker }
}

function settledInTime(release: End<unknown>): void {
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
  expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
}

describe('H4', () => {
  test('the hand-over that a release tries first counts as a part of it', async () => {
    const { clock, port, scripted, locker } = world(3_000, fencedLock)
    const grant = await scripted.held()
    const waiting = endOf(clock, scripted.acquire())
    await settle()
    port.fallSilent()
    const release = endOf(clock, locker.release(grant))
    await clock.advance(60_000)
    expect(port.sent.some((command) => command.startsWith('handOver'))).toBe(true)
    settledInTime(release)
    expect(waiting).toMatchObject(TOO_LATE)
  })

  test('a release behind a nested acquisition counts from when it was asked for', async () => {
    const { clock, port, scripted, locker } = world(3_000)
    const outer = scripted.scope()
    const grant = await scripted.held({}, outer)
    port.fallSilent()
    const nested = endOf(clock, scripted.acquire({ waitMs: 0 }, outer))
    await settle()
    const release = endOf(clock, locker.release(grant))
    await clock.advance(60_000)
    expect(nested).toMatchObject({ at: 3_000, ...TOO_LATE })
    settledInTime(release)
  })

  test.each([
    ['released', false],
    ['left taken', true],
  ])('holds of one owner that are given back together share the outage, the last one %s', async (_, kept) => {
    const { clock, port, scripted, locker } = world(3_000)
    const outer = scripted.scope()
    const last = await scripted.held({}, outer)
    const grants = [last, await scripted.held({}, outer), await scripted.held({}, outer)]
    if (kept) last.tenure.kept = { until: clock.now() + 300_000 }
    port.fallSilent()
    const releases = grants.map((grant) => endOf(clock, locker.release(grant)))
    await clock.advance(60_000)
    for (const release of releases) settledInTime(release)
    expect(locker.census).toMatchObject({ calls: 0, tenures: 0 })
  })

  test('a release that is asked for after another was given up has its own time', async () => {
    const { clock, port, scripted, locker } = world(3_000)
    const outer = scripted.scope()
    const [one, two] = [await scripted.held({}, outer), await scripted.held({}, outer)]
    port.fallSilent()
    const first = endOf(clock, locker.release(two))
    await clock.advance(11_000)
    const second = endOf(clock, locker.release(one))
    await clock.advance(5_000)
    expect(first).toMatchObject(TOO_LATE)
    expect(second).toEqual({})
    port.recover()
    await clock.advance(4_000)
    expect(second).not.toHaveProperty('error')
    expect(second.at).toBeLessThan(20_000)
  })
})

describe('L2: with the lease', () => {
  test.each([
    ['released', lock, false],
    ['left taken', lock, true],
    ['handed over', fencedLock, false],
  ])('H4: a release ends, however long the store is silent (%s)', async (how, kind, kept) => {
    const { clock, port, scripted, locker } = world(6_000, kind)
    const grant = await scripted.held(LEASE)
    const { storedAs } = grant.tenure
    if (kept) grant.tenure.kept = { until: clock.now() + 300_000 }
    if (how === 'handed over') endOf(clock, scripted.acquire())
    await settle()
    port.fallSilent()
    const release = endOf(clock, locker.release(grant))
    await clock.advance(60_000)
    expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
    // What the store may still do in that owner's name must not meet its next acquisition.
    expect(locker.orphans.mayLive('lock', storedAs)).toBe(true)
    expect(port.sent.includes(`abandon ${storedAs}`)).toBe(!kept)
    expect(scripted.lost).toEqual([])
  })

  test('H4: the release of a nested hold ends, too', async () => {
    const { clock, port, scripted, locker } = world(6_000)
    const outer = scripted.scope()
    await scripted.held(LEASE, outer)
    const inner = await scripted.held(LEASE, outer)
    port.fallSilent()
    const release = endOf(clock, locker.release(inner))
    await clock.advance(60_000)
    expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
    expect(scripted.lost).toEqual(['lock'])
  })

  test('but what is given back just before it ends waits a moment for the answer', async () => {
    const { clock, port, scripted, locker } = world(300)
    const grant = await scripted.held(LEASE)
    await clock.advance(LEASE_END_MS - 1)
    port.fallSilent()
    const release = endOf(clock, locker.release(grant))
    await clock.advance(LEAST_ANSWER_MS - 1)
    expect(release).toEqual({})
    await clock.advance(1)
    expect(release).toMatchObject(TOO_LATE)
  })
})

describe('L2: on a store whose answers come when the test says so', () => {
  const scene = (watchdogMs = 30_000) => {
    const scripted = new ScriptedLocker(new ScriptedPort(true), { watchdogMs })
    const { clock, port, locker } = scripted
    return { clock, port, scripted, locker, scope: root('client:1') }
  }

  test.each(['released', 'not-owner'] as const)(
    'an answer to a release that comes after the lease (%s) says nothing any more',
    async (reply) => {
      const { clock, port, scripted, locker, scope } = scene()
      const release = endOf(clock, locker.release(await scripted.held(LEASE, scope)))
      await clock.advance(LEASE_END_MS)
      expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
      const again = scripted.held({}, scope)
      await settle()
      expect(port.acquires.last.request.owner).not.toBe('client:1')
      port.releases.last.answer(reply)
      port.abandons.last.answer()
      await settle()
      expect(locker.stillHeld(await again)).toBe(true)
      expect([scripted.lost, scripted.errors]).toEqual([[], []])
    },
  )

  test('a nested hold is not given up while the lease is renewed', async () => {
    const { clock, port, scripted, locker, scope } = scene(900)
    await scripted.held({}, scope)
    const release = endOf(clock, locker.release(await scripted.held({}, scope)))
    await clock.advance(300)
    port.renewals.last.answer(true)
    await clock.advance(700)
    expect(release).toEqual({})
    port.releases.last.answer('still-held')
    await settle()
    expect(release).toEqual({ at: 1_000 })
  })

  test('one that was there when the event loop came to the end of the lease is heard', async () => {
    const { clock, port, scripted, locker, scope } = scene()
    const release = endOf(clock, locker.release(await scripted.held(LEASE, scope)))
    // The timers of a turn of the event loop come before what it reads.
    scripted.schedule.at(LEASE_END_MS, () => setImmediate(() => port.releases.last.answer('released')))
    await clock.advance(LEASE_END_MS)
    await settle()
    expect(release).toHaveProperty('at')
    expect(release).not.toHaveProperty('error')
  })
})
