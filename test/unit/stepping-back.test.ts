import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { STEP_BACK_MS } from '../../src/core/gate.js'
import { ClosedError, type Hold, Holdfast, type Lock } from '../../src/index.js'
import { Processes, withoutTime } from './processes.js'
import { ScriptedPort, settle } from './scripted-port.js'

/** A process that had its share lets others go first, in virtual time. */

let processes: Processes

beforeEach(() => {
  processes = new Processes()
})
afterEach(() => processes.end())

describe('stepping back', () => {
  /** A client that has just given the lock up for others although a call of its own waits, and another that no longer wants it. */
  async function steppedBack(): Promise<{ lock: Lock; waiting: Promise<unknown>; state: { in: boolean } }> {
    const [lock, other] = [processes.client({ maxHandOvers: 0 }), processes.client()]
    const hold = await lock.acquire()
    const state = { in: false }
    const waiting = lock.withLock(() => {
      state.in = true
    })
    waiting.catch(() => undefined)
    const abort = new AbortController()
    const leaving = other.acquire({ signal: abort.signal }).catch((reason: unknown) => reason)
    await withoutTime()
    const releasing = hold.release()
    abort.abort('no longer')
    await releasing
    expect(await leaving).toBe('no longer')
    await withoutTime()
    return { lock, waiting, state }
  }

  test(`lasts STEP_BACK_MS when nobody else takes the lock, and not longer`, async () => {
    const { lock, waiting, state } = await steppedBack()
    expect(await lock.isLocked()).toBe(false)
    await processes.clock.advance(STEP_BACK_MS - 0.5)
    expect(state.in).toBe(false)
    await processes.clock.advance(0.5)
    await withoutTime()
    expect(state.in).toBe(true)
    await waiting
    expect(processes.clock.now()).toBe(STEP_BACK_MS)
  })

  test('ends as soon as somebody else has released the lock', async () => {
    const [lock, other] = [processes.client({ maxHandOvers: 0 }), processes.client()]
    const hold = await lock.acquire()
    const order: string[] = []
    const sections = [
      lock.withLock(() => order.push('own')),
      other.withLock(async () => {
        order.push('other')
        await settle()
      }),
    ]
    await withoutTime()
    await hold.release()
    await withoutTime()
    expect(order).toEqual(['other', 'own'])
    await Promise.all(sections)
    expect(processes.clock.now()).toBe(0)
  })

  test('W1: a process that steps back does not miss the end of a hold that lasts longer than that', async () => {
    const [lock, other] = [processes.client({ maxHandOvers: 0 }), processes.client()]
    const hold = await lock.acquire()
    const waiting = lock.acquire()
    const taking = other.acquire()
    await withoutTime()
    await hold.release()
    const taken = await taking
    await processes.clock.advance(20 * STEP_BACK_MS)
    const before = processes.clock.now()
    await taken.release()
    await withoutTime()
    await (await waiting).release()
    expect(processes.clock.now()).toBe(before)
  })

  test.each([
    { call: 'a single attempt', take: (lock: Lock) => lock.tryAcquire() },
    { call: 'a wait that is shorter', take: (lock: Lock) => lock.acquire({ waitMs: STEP_BACK_MS - 1 }) },
  ])('keeps nobody from an attempt who has no time for it: $call', async ({ take }) => {
    const lock = processes.client({ maxHandOvers: 0 })
    const other = processes.client()
    const hold = await lock.acquire()
    const abort = new AbortController()
    // The first of its calls in line is the one with little time.
    const ahead = lock.acquire({ signal: abort.signal }).catch((reason: unknown) => reason)
    const leaving = other.acquire({ signal: abort.signal }).catch((reason: unknown) => reason)
    await withoutTime()
    const releasing = hold.release()
    abort.abort('no longer')
    await Promise.all([releasing, ahead, leaving])
    const mine = await take(lock)
    expect(processes.clock.now()).toBe(0)
    expect(mine?.remainingMs()).toBeGreaterThan(0)
    await mine?.release()
  })

  test('W4: close while it lasts ends the wait and leaves nothing', async () => {
    const { lock, waiting, state } = await steppedBack()
    await Promise.all(processes.made.map((holdfast) => holdfast.close()))
    await expect(waiting).rejects.toBeInstanceOf(ClosedError)
    await processes.clock.advance(2 * STEP_BACK_MS)
    expect(state.in).toBe(false)
    expect(processes.clock.timers).toBe(0)
    expect(await processes.client().isLocked()).toBe(false)
    expect(lock.name).toBe('lock')
  })

  test('W4: when its calls leave meanwhile nothing is left, once the time is over', async () => {
    const [lock, other] = [processes.client({ maxHandOvers: 0 }), processes.client()]
    const hold = await lock.acquire()
    const abort = new AbortController()
    const calls = [lock, lock, other].map((each) =>
      each.acquire({ signal: abort.signal }).catch((reason: unknown) => reason),
    )
    await withoutTime()
    const releasing = hold.release()
    abort.abort('no longer')
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'no longer'))
    await releasing
    await processes.clock.advance(STEP_BACK_MS)
    for (const { census } of processes.made)
      expect(Object.values(census).every((count) => count === 0)).toBe(true)
    expect(await lock.countWaitingClients()).toBe(0)
  })

  /** Its own announcement reaches a process before the answer to its release (RESP3), or after it (other connections). */
  describe.each(['before', 'after'] as const)(
    'with its own announcement %s the answer to the release',
    (own) => {
      async function released(): Promise<{
        port: ScriptedPort
        waiting: Promise<Hold>
        announce: () => void
      }> {
        const port = new ScriptedPort(true)
        const holdfast = new Holdfast(
          { clock: processes.clock, open: () => ({ lock: port, close: async () => undefined }) },
          { maxHandOvers: 0 },
        )
        processes.made.push(holdfast)
        const lock = holdfast.lock('lock')
        const acquiring = lock.acquire()
        port.acquires.last.answer({ outcome: 'granted' })
        const hold = await acquiring
        const waiting = lock.acquire()
        await settle()
        port.watches.last.answer()
        await settle()
        for (const { request, answer } of port.inspections.all)
          answer({ name: request, owners: [{ owner: hold.owner, holds: 1 }], remainingMs: 30_000 })
        await settle()
        const releasing = hold.release()
        await settle()
        const announce = port.watches.last.request.onNews
        if (own === 'before') announce()
        await settle()
        port.releases.last.answer({ others: 1 })
        await releasing
        if (own === 'after') announce()
        await settle()
        return { port, waiting, announce }
      }

      test('it lets others go first', async () => {
        const { port, waiting } = await released()
        expect(port.acquires.all).toHaveLength(1)
        await processes.clock.advance(STEP_BACK_MS)
        expect(port.acquires.all).toHaveLength(2)
        port.acquires.last.answer({ outcome: 'granted' })
        const hold = await waiting
        const releasing = hold.release()
        port.releases.last.answer('released')
        await releasing
      })

      test('W1: it hears the next release, which is somebody else’s', async () => {
        const { port, waiting, announce } = await released()
        await processes.clock.advance(STEP_BACK_MS)
        port.acquires.last.answer({ outcome: 'busy', remainingMs: 30_000, holder: undefined })
        await settle()
        const before = port.acquires.all.length
        announce()
        await settle()
        expect(port.acquires.all).toHaveLength(before + 1)
        port.acquires.last.answer({ outcome: 'granted' })
        const hold = await waiting
        const releasing = hold.release()
        port.releases.last.answer('released')
        await releasing
      })
    },
  )
})
