/** What a release comes to that the store does not answer, and by when, in virtual time. */
import { expect, test } from 'vitest'
import type { Scope } from '../../src/base/identity/owner.js'
import type { Call } from '../../src/core/acquire/call.js'
import { LEAST_ANSWER_MS } from '../../src/core/acquire/wait-left.js'
import type { KindTraits } from '../../src/core/kind.js'
import { HoldRecord } from '../../src/core/tenure/tenure.js'
import { fencedLock, lock } from '../../src/kinds/kinds.js'
import { leaseDeadline } from '../../src/port/lease.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { endOf, FallingSilent } from './falling-silent.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const STORE_TIMEOUT_MS = 10_000
const TOO_LATE = { error: { code: 'STORE_ERROR', reason: 'timeout', transient: true } }

interface World {
  readonly clock: VirtualClock
  readonly port: FallingSilent
  readonly scripted: ScriptedLocker
  hold(terms?: Partial<Call>): Promise<HoldRecord>
  scope(): Scope
}

function world(commandTimeoutMs: number, kind: KindTraits = lock): World {
  const clock = new VirtualClock()
  const port = new FallingSilent(clock, commandTimeoutMs)
  const settings = {
    storeTimeoutMs: STORE_TIMEOUT_MS,
    maxHandOvers: Number.POSITIVE_INFINITY,
    handOverSliceMs: 60_000,
    watchdogMs: 600_000,
  }
  const scripted = new ScriptedLocker(port, clock, settings, kind)
  const scope = (): Scope => root(scripted.owners.next())
  const hold = async (terms: Partial<Call> = {}): Promise<HoldRecord> => {
    const grant = await scripted.locker.acquire(callFrom(scope(), terms))
    if (!(grant instanceof HoldRecord)) return expect.unreachable()
    return grant
  }
  return { clock, port, scripted, hold, scope }
}

test('H4: the hand-over that a release tries first counts as a part of it', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000, fencedLock)
  const grant = await hold()
  const waiting = endOf(clock, scripted.locker.acquire(callFrom(scope())))
  await settle()
  port.fallSilent()
  const release = endOf(clock, scripted.locker.release(grant))
  await clock.advance(60_000)
  expect(port.sent.some((command) => command.startsWith('handOver'))).toBe(true)
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
  expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
  expect(waiting).toMatchObject(TOO_LATE)
})

test('H4: a release behind a nested acquisition counts from when it was asked for', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000)
  const outer = scope()
  const grant = await hold({ caller: outer, holder: outer })
  port.fallSilent()
  const nested = endOf(clock, scripted.locker.acquire(callFrom(outer, { waitMs: 0 })))
  await settle()
  const release = endOf(clock, scripted.locker.release(grant))
  await clock.advance(60_000)
  expect(nested).toMatchObject({ at: 3_000, ...TOO_LATE })
  expect(release).toMatchObject(TOO_LATE)
  expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
})

test.each([
  ['released', false],
  ['left taken', true],
])(
  'H4: holds of one owner that are given back together share the outage, the last one %s',
  async (_, kept) => {
    const { clock, port, scripted, hold, scope } = world(3_000)
    const outer = scope()
    const terms = { caller: outer, holder: outer }
    const grants = [await hold(terms), await hold(terms), await hold(terms)]
    const [last] = grants
    if (kept && last) last.tenure.kept = { until: clock.now() + 300_000 }
    port.fallSilent()
    const releases = grants.map((grant) => endOf(clock, scripted.locker.release(grant)))
    await clock.advance(60_000)
    for (const release of releases) {
      expect(release).toMatchObject(TOO_LATE)
      expect(release.at).toBeGreaterThanOrEqual(STORE_TIMEOUT_MS)
      expect(release.at).toBeLessThanOrEqual(STORE_TIMEOUT_MS + 3_000)
    }
    expect(scripted.locker.census).toMatchObject({ calls: 0, tenures: 0 })
  },
)

test('H4: a release that is asked for after another was given up has its own time', async () => {
  const { clock, port, scripted, hold, scope } = world(3_000)
  const outer = scope()
  const terms = { caller: outer, holder: outer }
  const [one, two] = [await hold(terms), await hold(terms)]
  port.fallSilent()
  const first = endOf(clock, scripted.locker.release(two))
  await clock.advance(11_000)
  const second = endOf(clock, scripted.locker.release(one))
  await clock.advance(5_000)
  expect(first).toMatchObject(TOO_LATE)
  expect(second).toEqual({})
  port.recover()
  await clock.advance(4_000)
  expect(second).not.toHaveProperty('error')
  expect(second.at).toBeLessThan(20_000)
})

/** The end of the lease as its holder counts it. */
const LEASE = { leaseMs: 1_000 } as const
const LEASE_END_MS = leaseDeadline(0, LEASE.leaseMs)

test.each([
  ['released', lock, false],
  ['left taken', lock, true],
  ['handed over', fencedLock, false],
])(
  'H4, L2: a release ends with the lease, however long the store is silent (%s)',
  async (how, kind, kept) => {
    const { clock, port, scripted, hold, scope } = world(6_000, kind)
    const grant = await hold(LEASE)
    const { storedAs } = grant.tenure
    if (kept) grant.tenure.kept = { until: clock.now() + 300_000 }
    if (how === 'handed over') endOf(clock, scripted.locker.acquire(callFrom(scope())))
    await settle()
    port.fallSilent()
    const release = endOf(clock, scripted.locker.release(grant))
    await clock.advance(60_000)
    expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
    // What the store may still do in that owner's name must not meet its next acquisition.
    expect(scripted.locker.orphans.mayLive('lock', storedAs)).toBe(true)
    expect(port.sent.includes(`abandon ${storedAs}`)).toBe(!kept)
    expect(scripted.lost).toEqual([])
  },
)

test('H4, L2: the release of a nested hold ends with the lease, too', async () => {
  const { clock, port, scripted, hold, scope } = world(6_000)
  const outer = scope()
  const terms = { caller: outer, holder: outer, ...LEASE }
  await hold(terms)
  const inner = await hold(terms)
  port.fallSilent()
  const release = endOf(clock, scripted.locker.release(inner))
  await clock.advance(60_000)
  expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
  expect(scripted.lost).toEqual(['lock'])
})

test.each(['released', 'not-owner'] as const)(
  'L2: an answer to a release that comes after the lease (%s) says nothing any more',
  async (reply) => {
    const clock = new VirtualClock()
    const port = new ScriptedPort(true)
    const scripted = new ScriptedLocker(port, clock)
    const { locker } = scripted
    const acquire = locker.acquire(callFrom(root('client:1'), LEASE))
    await scripted.answer(() => ({ outcome: 'granted' }))
    const grant = await acquire
    if (!(grant instanceof HoldRecord)) return expect.unreachable()
    const release = endOf(clock, locker.release(grant))
    await clock.advance(LEASE_END_MS)
    expect(release).toMatchObject({ at: LEASE_END_MS, ...TOO_LATE })
    const again = locker.acquire(callFrom(root('client:1')))
    const [request] = await scripted.answer(() => ({ outcome: 'granted' }))
    expect(request?.owner).not.toBe('client:1')
    port.releases.last.answer(reply)
    port.abandons.last.answer()
    await settle()
    const next = await again
    expect(next instanceof HoldRecord && locker.stillHeld(next)).toBe(true)
    expect(scripted.lost).toEqual([])
    expect(scripted.errors).toEqual([])
  },
)

test('L2: a nested hold is not given up while the lease is renewed', async () => {
  const clock = new VirtualClock()
  const port = new ScriptedPort(true)
  const scripted = new ScriptedLocker(port, clock, { watchdogMs: 900 })
  const scope = root('client:1')
  const hold = async (): Promise<HoldRecord> => {
    const acquire = scripted.locker.acquire(callFrom(scope))
    await scripted.answer(() => ({ outcome: 'granted' }))
    const grant = await acquire
    return grant instanceof HoldRecord ? grant : expect.unreachable()
  }
  await hold()
  const inner = await hold()
  const release = endOf(clock, scripted.locker.release(inner))
  await clock.advance(300)
  port.renewals.last.answer(true)
  await clock.advance(700)
  expect(release).toEqual({})
  port.releases.last.answer('still-held')
  await settle()
  expect(release).toEqual({ at: 1_000 })
})

test('L2: a lock that is given back just before its lease ends waits a moment for the answer', async () => {
  const { clock, port, scripted, hold } = world(300)
  const grant = await hold(LEASE)
  await clock.advance(LEASE_END_MS - 1)
  port.fallSilent()
  const release = endOf(clock, scripted.locker.release(grant))
  await clock.advance(LEAST_ANSWER_MS - 1)
  expect(release).toEqual({})
  await clock.advance(1)
  expect(release).toMatchObject(TOO_LATE)
})

test('L2: an answer that was there when the event loop came to the end of the lease is heard', async () => {
  const clock = new VirtualClock()
  const port = new ScriptedPort(true)
  const scripted = new ScriptedLocker(port, clock)
  const acquire = scripted.locker.acquire(callFrom(root('client:1'), LEASE))
  await scripted.answer(() => ({ outcome: 'granted' }))
  const grant = await acquire
  if (!(grant instanceof HoldRecord)) return expect.unreachable()
  const release = endOf(clock, scripted.locker.release(grant))
  // The timers of a turn of the event loop come before what it reads.
  scripted.schedule.at(LEASE_END_MS, () => setImmediate(() => port.releases.last.answer('released')))
  await clock.advance(LEASE_END_MS)
  await settle()
  expect(release).not.toHaveProperty('error')
})
