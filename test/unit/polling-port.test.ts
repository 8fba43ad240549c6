/** A store that announces nothing: the port says how often its waiters ask again, and they are never made to listen. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Holdfast, type Lock } from '../../src/index.js'
import type { AcquireReply, Polls } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { BUSY, GRANTED, ScriptedPort, settle, storeOn } from './scripted-port.js'

const PAUSE_MS = 40

class PollingPort extends ScriptedPort {
  polls: Polls = { pauseMs: () => PAUSE_MS }
}

let port: PollingPort
let clock: VirtualClock
let holdfast: Holdfast
let lock: Lock

beforeEach(() => {
  port = new PollingPort()
  clock = new VirtualClock()
  holdfast = new Holdfast(storeOn(clock, port, { spinLock: port }))
  lock = holdfast.lock('lock')
})
afterEach(() => holdfast.close())

/** Lets the next acquire be sent, and answers it. */
async function answer(reply: AcquireReply): Promise<void> {
  await settle()
  port.acquires.last.answer(reply)
  await settle()
}

test('a call that waits asks again after each pause, and says that it waits', async () => {
  const hold = lock.acquire()
  await answer(BUSY)
  expect(port.acquires.all).toHaveLength(1)
  await clock.advance(PAUSE_MS - 1)
  expect(port.acquires.all).toHaveLength(1)
  await clock.advance(1)
  expect(port.acquires.all).toHaveLength(2)
  await answer(GRANTED)
  await hold
  expect(port.acquires.all.map(({ request }) => request.waits)).toEqual([true, true])
  expect(port.watches.all).toHaveLength(0)
})

test('a call that leaves has no place to give back', async () => {
  const refused = lock.acquire({ waitMs: 70 }).catch((error: unknown) => error)
  await answer(BUSY)
  await clock.advance(PAUSE_MS)
  await answer(BUSY)
  await clock.advance(30)
  expect(await refused).toMatchObject({ code: 'LOCK_TIMEOUT' })
  expect(port.abandons.all).toHaveLength(0)
})

test('a single attempt does not say that it waits', async () => {
  const maybe = lock.tryAcquire()
  await answer(BUSY)
  expect(await maybe).toBeNull()
  expect(port.acquires.last.request.waits).toBe(false)
})

test('a spin lock keeps its own pauses', async () => {
  const hold = holdfast.spinLock('spin', { firstPauseMs: 2, longestPauseMs: 2 }).acquire()
  await answer(BUSY)
  await clock.advance(2)
  expect(port.acquires.all).toHaveLength(2)
  await answer(GRANTED)
  await hold
})

test.each([
  { what: 'as a waiter pauses', asideMs: undefined, pauseMs: PAUSE_MS },
  { what: 'as the store says', asideMs: () => 90, pauseMs: 90 },
])(
  'after a release that others wait for, the process lets them ask first: $what',
  async ({ asideMs, pauseMs }) => {
    port.polls = { ...port.polls, ...(asideMs && { asideMs }) }
    const forced = lock.acquire()
    await answer(GRANTED)
    await forced
    const forcing = lock.forceUnlock()
    await settle()
    port.forces.last.answer(true)
    await forcing
    const hold = lock.acquire()
    await answer(GRANTED)
    const ended = (await hold).release()
    await settle()
    port.releases.last.answer({ others: 1 })
    await ended
    const before = port.acquires.all.length
    const next = lock.acquire()
    await clock.advance(pauseMs - 1)
    expect(port.acquires.all).toHaveLength(before)
    await clock.advance(1)
    await answer(GRANTED)
    await next
  },
)
