import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

/** A store that takes several rounds for an acquire, as a quorum does. */
class PortInRounds extends ScriptedPort {
  readonly inRounds = true
}

test('H4, H22: a store that has answered in a round is out no more, for the calls behind as well', async () => {
  const clock = new VirtualClock()
  const port = new PortInRounds(true)
  const { locker, owners } = new ScriptedLocker(port, clock, { storeTimeoutMs: 500 })
  const call = (waitMs: number) => locker.acquire(callFrom(root(owners.next()), { name: 'lock', waitMs }))
  const first = call(900)
  const behind = call(Number.POSITIVE_INFINITY)
  let failure: unknown
  behind.catch((error: unknown) => {
    failure = error
  })
  await settle()
  port.acquires.last.fail(new StoreError('unreachable', 'acquire', { transient: true }))
  await clock.advance(100)
  expect(port.acquires.all).toHaveLength(2)
  // Its wait ends while votes are split.
  port.acquires.last.request.caller?.hears({ outcome: 'busy', remainingMs: 60_000, holder: undefined })
  await clock.advance(2_000)
  expect(await first).toMatchObject({ cause: undefined })
  expect(failure).toBeUndefined()
  expect(port.acquires.all).toHaveLength(3)
  const closing = locker.lifetime.close()
  for (const { answer } of port.acquires.all) answer({ outcome: 'busy', remainingMs: 1, holder: undefined })
  await clock.advance(1_000)
  for (const { answer } of port.abandons.all) answer()
  await closing
})

test('H4: an outage of a store that answers in rounds counts from its last answer', async () => {
  const clock = new VirtualClock()
  const port = new PortInRounds(true)
  const { locker, owners } = new ScriptedLocker(port, clock, { storeTimeoutMs: 500 })
  const waiting = locker.acquire(
    callFrom(root(owners.next()), { name: 'lock', waitMs: Number.POSITIVE_INFINITY }),
  )
  await clock.advance(2_000)
  port.acquires.last.request.caller?.hears({ outcome: 'busy', remainingMs: 60_000, holder: undefined })
  port.acquires.last.fail(new StoreError('unreachable', 'acquire', { transient: true }))
  await clock.advance(100)
  expect(port.acquires.all).toHaveLength(2)
  port.acquires.last.answer({ outcome: 'granted' })
  expect(await waiting).toMatchObject({ released: false })
})

test('H4: a call gives a silent store up within storeTimeoutMs and one command, from when the first was sent', async () => {
  const clock = new VirtualClock()
  const port = new ScriptedPort(true)
  const { locker, owners } = new ScriptedLocker(port, clock, { storeTimeoutMs: 4_000 })
  let endedAt = Number.NaN
  locker
    .acquire(callFrom(root(owners.next()), { name: 'lock', waitMs: Number.POSITIVE_INFINITY }))
    .catch(() => {
      endedAt = clock.now()
    })
  await settle()
  // Each ends by its own timeout, after a second.
  const sentAt: number[] = []
  for (let failed = 0; clock.now() < 10_000; await clock.advance(10)) {
    if (port.acquires.all.length > sentAt.length) sentAt.push(clock.now())
    if (clock.now() - (sentAt[failed] ?? Number.NaN) < 1_000 || failed === sentAt.length) continue
    failed += 1
    port.acquires.last.fail(new StoreError('timeout', 'acquire', { transient: true }))
    await settle()
  }
  expect(endedAt).toBeGreaterThanOrEqual(4_000)
  expect(endedAt).toBeLessThanOrEqual(5_010)
  const closing = locker.lifetime.close()
  await clock.advance(1_000)
  for (const { answer } of port.abandons.all) answer()
  await closing
})

test('H4: a single attempt ends when one command has had its time, however many the store needs for it', async () => {
  const clock = new VirtualClock()
  const port = new ScriptedPort(true)
  const { locker, owners } = new ScriptedLocker(port, clock, { commandTimeoutMs: 1_000 })
  const asking = locker.acquire(callFrom(root(owners.next()), { name: 'lock', waitMs: 0 }))
  await clock.advance(1_100)
  expect(await asking).toMatchObject({ cause: { code: 'STORE_ERROR', reason: 'timeout' } })
  // What comes of it is given back.
  port.acquires.last.answer({ outcome: 'granted' })
  await settle()
  expect(port.abandons.all).toHaveLength(1)
  port.abandons.last.answer()
  await settle()
  expect(locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
})

test('H4: a question ends when one command has had its time, however many the store needs for it', async () => {
  const clock = new VirtualClock()
  const { locker } = new ScriptedLocker(new ScriptedPort(true), clock, { commandTimeoutMs: 1_000 })
  const asking = rejectionOf(locker.inspect('lock'))
  await clock.advance(1_100)
  expect(await asking).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout', lockName: 'lock' })
})

test('faults A1: a store of another maker answers with a time that is none: the call fails, and timers go on', async () => {
  const clock = new VirtualClock()
  const port = new ScriptedPort(true)
  const scripted = new ScriptedLocker(port, clock)
  const { locker, owners, schedule } = scripted
  const asked = rejectionOf(locker.acquire(callFrom(root(owners.next()), { name: 'lock', waitMs: 0 })))
  const rung = new Promise((resolve) => schedule.at(100, () => resolve('in time')))
  await scripted.answer(() => ({ outcome: 'busy', remainingMs: Number.NaN, holder: undefined }))
  expect(await asked).toMatchObject({ code: 'STORE_ERROR', reason: 'unreadable', transient: true })
  await clock.advance(100)
  expect(await rung).toBe('in time')
  // What the store may have granted is given back.
  expect(await scripted.freeAll()).toEqual(['lock'])
  await locker.lifetime.close()
})

test('W6: a single attempt nested beside another has its turn when that is through', async () => {
  const port = new ScriptedPort()
  const clock = new VirtualClock()
  const { locker, owners } = new ScriptedLocker(port, clock)
  const scope = root(owners.next())
  const outer = locker.acquire(callFrom(scope))
  await settle()
  port.acquires.last.answer({ outcome: 'granted' })
  await outer
  const nested = [1, 2].map(() => locker.acquire(callFrom(scope, { waitMs: 0 })))
  for (const sent of [2, 3]) {
    await clock.advance(1)
    expect(port.acquires.all).toHaveLength(sent)
    port.acquires.last.answer({ outcome: 'granted' })
  }
  for (const each of nested) expect(await each).toMatchObject({ released: false })
})
