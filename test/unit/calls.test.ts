/** What one call, or several for one lock, make of what a store answers, and of its silence. */
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { countDownLatch, lock, semaphore } from '../../src/kinds/kinds.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { endOf } from './in-virtual-time.js'
import { NOTHING_LEFT, ScriptedLocker } from './scripted-locker.js'
import { BUSY, GRANTED, ScriptedPort, settle } from './scripted-port.js'

/** Nobody has it by a lease. */
const ENDLESS: AcquireReply = { outcome: 'busy', remainingMs: Number.POSITIVE_INFINITY, holder: undefined }
const UNREACHABLE = new StoreError('unreachable', 'acquire', { transient: true })

describe('H4: a store that takes several rounds for an acquire, as a quorum does', () => {
  class PortInRounds extends ScriptedPort {
    readonly inRounds = true
  }
  const scene = () => new ScriptedLocker(new PortInRounds(true), { storeTimeoutMs: 500 })

  test('H22: and has answered in a round is out no more, for the calls behind as well', async () => {
    const scripted = scene()
    const { clock, port, locker } = scripted
    const first = scripted.acquire({ waitMs: 900 })
    const behind = endOf(clock, scripted.acquire())
    await settle()
    port.acquires.last.fail(UNREACHABLE)
    await clock.advance(100)
    expect(port.acquires.all).toHaveLength(2)
    // Its wait ends while votes are split.
    port.acquires.last.request.caller?.hears(ENDLESS)
    await clock.advance(2_000)
    expect(await first).toMatchObject({ cause: undefined })
    expect(behind).toEqual({})
    expect(port.acquires.all).toHaveLength(3)
    const closing = locker.lifetime.close()
    for (const { answer } of port.acquires.all) answer(ENDLESS)
    await clock.advance(1_000)
    await scripted.freeAll()
    await closing
  })

  test('an outage counts from its last answer', async () => {
    const scripted = scene()
    const { clock, port } = scripted
    const waiting = scripted.acquire()
    await clock.advance(2_000)
    port.acquires.last.request.caller?.hears(ENDLESS)
    port.acquires.last.fail(UNREACHABLE)
    await clock.advance(100)
    expect(port.acquires.all).toHaveLength(2)
    port.acquires.last.answer(GRANTED)
    expect(await waiting).toMatchObject({ released: false })
  })
})

describe('H4: however many commands the store needs for it, when one has had its time', () => {
  test('a single attempt ends', async () => {
    const scripted = new ScriptedLocker(new ScriptedPort(true), { commandTimeoutMs: 1_000 })
    const asking = scripted.acquire({ waitMs: 0 })
    await scripted.clock.advance(1_100)
    expect(await asking).toMatchObject({ cause: { code: 'STORE_ERROR', reason: 'timeout' } })
    // What comes of it is given back.
    scripted.port.acquires.last.answer(GRANTED)
    expect(await scripted.freeAll()).toEqual(['lock'])
    expect(scripted.locker.census).toMatchObject(NOTHING_LEFT)
  })

  test('a question ends', async () => {
    const { clock, locker } = new ScriptedLocker(new ScriptedPort(true), { commandTimeoutMs: 1_000 })
    const asking = rejectionOf(locker.inspect('lock'))
    await clock.advance(1_100)
    expect(await asking).toMatchObject({ code: 'STORE_ERROR', reason: 'timeout', lockName: 'lock' })
  })
})

test('faults A1: a store of another maker answers with a time that is none: the call fails, and timers go on', async () => {
  const scripted = new ScriptedLocker(new ScriptedPort(true))
  const asked = rejectionOf(scripted.acquire({ waitMs: 0 }))
  const rung = new Promise((resolve) => scripted.schedule.at(100, () => resolve('in time')))
  await scripted.answer(() => ({ ...BUSY, remainingMs: Number.NaN }))
  expect(await asked).toMatchObject({ code: 'STORE_ERROR', reason: 'unreadable', transient: true })
  await scripted.clock.advance(100)
  expect(await rung).toBe('in time')
  // What the store may have granted is given back.
  expect(await scripted.freeAll()).toEqual(['lock'])
  await scripted.locker.lifetime.close()
})

test('W6: a single attempt nested beside another has its turn when that is through', async () => {
  const scripted = new ScriptedLocker(new ScriptedPort())
  const { clock, port } = scripted
  const scope = scripted.scope()
  await scripted.held({}, scope)
  const nested = [1, 2].map(() => scripted.acquire({ waitMs: 0 }, scope))
  for (const sent of [2, 3]) {
    await clock.advance(1)
    expect(port.acquires.all).toHaveLength(sent)
    port.acquires.last.answer(GRANTED)
  }
  for (const each of nested) expect(await each).toMatchObject({ released: false })
})

test.each<[string, AcquireReply]>([
  ['is granted too late', GRANTED],
  ['finds the lock lost', { outcome: 'lost' }],
])(
  'a single attempt comes after that of its owner, which asks anew because its section was lost meanwhile: the first request %s',
  async (_, answer) => {
    const scripted = new ScriptedLocker(new ScriptedPort())
    const scope = scripted.scope()
    await scripted.held({ leaseMs: 1_000 }, scope)
    const ahead = scripted.acquire({ waitMs: 0, leaseMs: 1_000 }, scope)
    await settle()
    await scripted.clock.advance(1_000)
    expect(scripted.lost).toEqual(['lock'])
    const behind = scripted.acquire({ waitMs: 0, leaseMs: 1_000 }, scope)
    await scripted.answer(() => answer)
    for (const heldBefore of [0, 1])
      expect(await scripted.answer(() => GRANTED)).toMatchObject([{ heldBefore }])
    for (const each of [ahead, behind]) expect(await each).toMatchObject({ released: false })
  },
)

describe('W1: a watch that failed', () => {
  /** Two calls that wait, of which the first has begun the watch. */
  async function scene() {
    const scripted = new ScriptedLocker(new ScriptedPort())
    const { clock, port } = scripted
    const first = new AbortController()
    const ends = [first.signal, undefined].map((signal) => endOf(clock, scripted.acquire({ signal })))
    await scripted.answer(() => BUSY)
    expect(port.watches.all).toHaveLength(1)
    const fails = async (reason: 'unreachable' | 'permission', transient: boolean) => {
      port.watches.last.fail(new StoreError(reason, 'watch', { lockName: 'lock', transient }))
      await scripted.answer(() => BUSY)
    }
    return { clock, port, scripted, first, ends, fails }
  }

  test('is begun again after a pause, also by the call that takes the place of the one that met the failure', async () => {
    const { clock, port, scripted, first, fails } = await scene()
    await fails('unreachable', true)
    first.abort(new Error('enough'))
    await settle()
    expect(await scripted.answer(() => BUSY)).toHaveLength(1)
    expect(port.watches.all).toHaveLength(1)
    await clock.advance(1_000)
    await scripted.answer(() => BUSY)
    await settle()
    expect(port.watches.all).toHaveLength(2)
  })

  test('for good ends the call that meets it, and the next one tries anew', async () => {
    const { port, scripted, ends, fails } = await scene()
    await fails('permission', false)
    await scripted.answer(() => BUSY)
    expect(ends).toMatchObject([{ error: { code: 'STORE_ERROR' } }, {}])
    expect(ends[1]).toEqual({})
    expect(port.watches.all).toHaveLength(2)
  })
})

test('W3: one asks for all that wait for a latch; when it has opened they ask together, not one after the other', async () => {
  const latch = new ScriptedLocker(new ScriptedPort(), { kind: countDownLatch })
  const { watches } = latch.port
  const calls = [1, 2, 3, 4].map(() => latch.acquire())
  expect(await latch.answer(() => ENDLESS)).toHaveLength(1)
  watches.last.answer()
  expect(await latch.answer(() => ENDLESS)).toHaveLength(1)
  watches.last.request.onNews()
  const open = { outcome: 'granted', room: Number.POSITIVE_INFINITY } as const
  expect(await latch.answer(() => open)).toHaveLength(1)
  await settle()
  expect(await latch.answer(() => open)).toHaveLength(3)
  await Promise.all(calls)
})

test.each([
  { what: 'a lock', kind: lock },
  { what: 'permits', kind: semaphore },
])('H14: where no lease ends ($what), who waits looks now and then, one for all', async ({ kind }) => {
  const scripted = new ScriptedLocker(new ScriptedPort(true), { kind })
  const waits = [1, 2, 3].map(() => scripted.acquire())
  await scripted.answer(() => ENDLESS)
  await scripted.answer(() => ENDLESS)
  for (let look = 0; look < 3; look += 1) {
    await scripted.clock.advance(29_000)
    expect(await scripted.answer(() => ENDLESS)).toHaveLength(0)
    await scripted.clock.advance(2_000)
    expect(await scripted.answer(() => ENDLESS)).toHaveLength(1)
  }
  void scripted.locker.lifetime.close()
  await settle()
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'CLOSED' })
})
