import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { STEP_BACK_MS } from '../../src/core/gate.js'
import { ClosedError, type Hold, Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'
import { ScriptedPort, settle } from './scripted-port.js'

/** What bounds hand-over within a process, in virtual time: two clients on one store are to each other as two processes. */

let clock: VirtualClock
let store: MemoryStore
let made: Holdfast[]

beforeEach(() => {
  clock = new VirtualClock()
  store = new MemoryStore(clock)
  made = []
})

afterEach(async () => {
  await Promise.all(made.map((holdfast) => holdfast.close()))
  for (const { census } of made) expect(Object.values(census).every((count) => count === 0)).toBe(true)
  expect(clock.timers).toBe(0)
})

function client(options: HoldfastOptions = {}): Lock {
  const holdfast = new Holdfast(store, options)
  made.push(holdfast)
  return holdfast.lock('lock')
}

/** Lets everything go on that needs no time: hand-overs, announcements, attempts. */
async function withoutTime(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await settle()
}

/** Lets time pass, a millisecond at a time, until the work is done. */
async function inVirtualTime<Value>(work: Promise<Value>): Promise<Value> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  settled.catch(() => undefined)
  for (let step = 0; !done && step < 10_000; step += 1) await clock.advance(1)
  return await settled
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => clock.startTimer(resolve, ms))

/** How many in a row were the same. */
function runs(log: readonly string[]): Array<readonly [string, number]> {
  const found: Array<[string, number]> = []
  for (const who of log) {
    const last = found.at(-1)
    if (last?.[0] === who) last[1] += 1
    else found.push([who, 1])
  }
  return found
}

/** Sections of several clients that queue for one lock from the start; who was in, in order. */
async function contend(
  clients: Readonly<Record<string, Lock>>,
  sections: number,
  sectionMs: number,
): Promise<string[]> {
  const log: string[] = []
  await inVirtualTime(
    Promise.all(
      Object.entries(clients).flatMap(([who, lock]) =>
        Array.from({ length: sections }, () =>
          lock.withLock(async () => {
            log.push(who)
            if (sectionMs > 0) await pass(sectionMs)
          }),
        ),
      ),
    ),
  )
  return log
}

describe('hand-over is bounded', () => {
  test('after maxHandOvers the other client gets the lock next; nobody starves', async () => {
    const bound = { maxHandOvers: 3, handOverSliceMs: Number.POSITIVE_INFINITY }
    const log = await contend({ here: client(bound), there: client(bound) }, 12, 1)
    expect(log.filter((who) => who === 'here')).toHaveLength(12)
    // The first to get it makes one acquisition and three hand-overs, and so does everyone after that.
    expect(runs(log).map(([, length]) => length)).toEqual([4, 4, 4, 4, 4, 4])
  })

  test('when the time slice is over the other client gets the lock next; nobody starves', async () => {
    const bound = { handOverSliceMs: 25, maxHandOvers: Number.POSITIVE_INFINITY }
    const log = await contend({ here: client(bound), there: client(bound) }, 9, 10)
    // It is over in the third section of ten milliseconds, which is the last.
    expect(runs(log).map(([, length]) => length)).toEqual([3, 3, 3, 3, 3, 3])
  })

  test('the slice begins with the acquisition, not with the first hand-over', async () => {
    const [here, there] = [client({ handOverSliceMs: 25 }), client()]
    const first = await here.acquire()
    const order: string[] = []
    const own = here.withLock(() => order.push('here'))
    const other = there.withLock(() => order.push('there'))
    await clock.advance(25)
    await first.release()
    await inVirtualTime(Promise.all([own, other]))
    expect(order).toEqual(['there', 'here'])
  })

  test.each([2, 3, 5])('of %i clients that come again and again each gets its share', async (clients) => {
    const UNTIL_MS = 2_000
    const counts = new Array<number>(clients).fill(0)
    const loops = counts.map(async (_, index) => {
      const lock = client()
      const loop = async (): Promise<void> => {
        while (clock.now() < UNTIL_MS) {
          await lock.withLock(async () => {
            counts[index] = (counts[index] ?? 0) + 1
            await pass(1)
          })
        }
      }
      await Promise.all([loop(), loop(), loop(), loop()])
    })
    await inVirtualTime(Promise.all(loops))
    expect(Math.min(...counts)).toBeGreaterThan(0.6 * Math.max(...counts))
  })

  test.each([
    { bound: { maxHandOvers: 3 }, terms: {} },
    { bound: { maxHandOvers: 0 }, terms: {} },
    { bound: { handOverSliceMs: 0 }, terms: {} },
    { bound: { maxHandOvers: 3 }, terms: { leaseMs: 60_000 } },
  ])('with nobody else waiting it goes on at once ($bound, $terms)', async ({ bound, terms }) => {
    const lock = client(bound)
    let entered = 0
    const sections = Array.from({ length: 20 }, () =>
      lock.withLock(terms, () => {
        entered += 1
      }),
    )
    await withoutTime()
    expect(entered).toBe(20)
    await Promise.all(sections)
    expect(clock.now()).toBe(0)
    expect(made.map(({ census }) => census.tenures)).toEqual([0])
  })
})

describe('stepping back', () => {
  /** A client that has just given the lock up for others although a call of its own waits, and another that no longer wants it. */
  async function steppedBack(): Promise<{ lock: Lock; waiting: Promise<unknown>; state: { in: boolean } }> {
    const [lock, other] = [client({ maxHandOvers: 0 }), client()]
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
    await clock.advance(STEP_BACK_MS - 0.5)
    expect(state.in).toBe(false)
    await clock.advance(0.5)
    await withoutTime()
    expect(state.in).toBe(true)
    await waiting
    expect(clock.now()).toBe(STEP_BACK_MS)
  })

  test('ends as soon as somebody else has released the lock', async () => {
    const [lock, other] = [client({ maxHandOvers: 0 }), client()]
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
    expect(clock.now()).toBe(0)
  })

  test('W1: a process that steps back does not miss the end of a hold that lasts longer than that', async () => {
    const [lock, other] = [client({ maxHandOvers: 0 }), client()]
    const hold = await lock.acquire()
    const waiting = lock.acquire()
    const taking = other.acquire()
    await withoutTime()
    await hold.release()
    const taken = await taking
    await clock.advance(20 * STEP_BACK_MS)
    const before = clock.now()
    await taken.release()
    await withoutTime()
    await (await waiting).release()
    expect(clock.now()).toBe(before)
  })

  test.each([
    { call: 'a single attempt', take: (lock: Lock) => lock.tryAcquire() },
    { call: 'a wait that is shorter', take: (lock: Lock) => lock.acquire({ waitMs: STEP_BACK_MS - 1 }) },
  ])('keeps nobody from an attempt who has no time for it: $call', async ({ take }) => {
    const lock = client({ maxHandOvers: 0 })
    const other = client()
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
    expect(clock.now()).toBe(0)
    expect(mine?.remainingMs()).toBeGreaterThan(0)
    await mine?.release()
  })

  test('W4: close while it lasts ends the wait and leaves nothing', async () => {
    const { lock, waiting, state } = await steppedBack()
    await Promise.all(made.map((holdfast) => holdfast.close()))
    await expect(waiting).rejects.toBeInstanceOf(ClosedError)
    await clock.advance(2 * STEP_BACK_MS)
    expect(state.in).toBe(false)
    expect(clock.timers).toBe(0)
    expect(await client().isLocked()).toBe(false)
    expect(lock.name).toBe('lock')
  })

  test('W4: when its calls leave meanwhile nothing is left, once the time is over', async () => {
    const [lock, other] = [client({ maxHandOvers: 0 }), client()]
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
    await clock.advance(STEP_BACK_MS)
    for (const { census } of made) expect(Object.values(census).every((count) => count === 0)).toBe(true)
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
          { clock, open: () => ({ lock: port, close: async () => undefined }) },
          { maxHandOvers: 0 },
        )
        made.push(holdfast)
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
        await clock.advance(STEP_BACK_MS)
        expect(port.acquires.all).toHaveLength(2)
        port.acquires.last.answer({ outcome: 'granted' })
        const hold = await waiting
        const releasing = hold.release()
        port.releases.last.answer('released')
        await releasing
      })

      test('W1: it hears the next release, which is somebody else’s', async () => {
        const { port, waiting, announce } = await released()
        await clock.advance(STEP_BACK_MS)
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
