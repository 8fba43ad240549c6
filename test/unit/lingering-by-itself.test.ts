/** What bounds a lock that its process keeps by habit (`lingerMs: 'auto'`), to the millisecond. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kindsOf } from '../../src/client/lock-client.js'
import { Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runs } from './processes.js'

let clock: VirtualClock
let store: MemoryStore
let made: Holdfast[]
let other: Holdfast
let far: Lock

beforeEach(() => {
  clock = new VirtualClock()
  store = new MemoryStore(clock)
  made = []
  other = client()
  far = other.lock('lock')
})
afterEach(async () => {
  await Promise.all(made.map((holdfast) => holdfast.close()))
  expect(clock.timers).toBe(0)
})

function client(options: HoldfastOptions = {}): Holdfast {
  const holdfast = new Holdfast(store, { lingerMs: 'auto', ...options })
  made.push(holdfast)
  return holdfast
}

/** Sections of so many milliseconds, one after the other, each so long after the one before. */
async function sections(lock: Lock, times: number, { gapMs = 0, sectionMs = 0 } = {}): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    if (gapMs > 0) await clock.advance(gapMs)
    const hold = await lock.acquire()
    if (sectionMs > 0) await clock.advance(sectionMs)
    await hold.release()
  }
}

/** How long the store has it as somebody's from now on, looking every half millisecond. */
async function heldFor(): Promise<number> {
  const from = clock.now()
  while (await held()) await clock.advance(0.5)
  return clock.now() - from
}

/** Whether the store has the lock as somebody's. Unlike a user's look, this asks nobody to give it up. */
async function held(): Promise<boolean> {
  const { owners } = await kindsOf(other).session.lock.inspect('lock')
  return owners.length > 0
}

describe('a process keeps a lock by itself', () => {
  test('not before it has come back eight times: each release frees it', async () => {
    const lock = client().lock('lock')
    for (let time = 0; time < 8; time += 1) {
      await sections(lock, 1)
      expect(await held()).toBe(false)
    }
  })

  test('not one of many names that each are taken once', async () => {
    const holdfast = client()
    for (let number = 0; number < 50; number += 1) {
      const name = `lock ${number}`
      await sections(holdfast.lock(name), 1)
      expect(await client().lock(name).isLocked()).toBe(false)
    }
    expect(holdfast.census.tenures).toBe(0)
  })

  test.each([
    [0, 1],
    [2, 4],
    [5, 10],
  ])('coming back after %d ms: for %d ms after the last release', async (gapMs, keptMs) => {
    const lock = client().lock('lock')
    await sections(lock, 9, { gapMs })
    expect(await lock.inspect()).toMatchObject({ lingering: true })
    expect(await lock.isLocked()).toBe(false)
    expect(await heldFor()).toBe(keptMs)
  })

  test('no command is sent meanwhile, and the holds are like any other', async () => {
    const holdfast = client()
    const lock = holdfast.lock('lock')
    await sections(lock, 11)
    const before = holdfast.metrics().lingered
    await sections(lock, 20)
    expect(holdfast.metrics().lingered - before).toBe(20)
    const hold = await lock.acquire()
    await hold.run(() => lock.withLock(async () => expect(await lock.holdCount(hold.owner)).toBe(2)))
    const trying = far.tryAcquire()
    await clock.advance(25)
    expect(await trying).toBeNull()
    await hold.release()
  })

  test('not where it comes back late, nor after it has once', async () => {
    const lock = client().lock('lock')
    await sections(lock, 20, { gapMs: 13 })
    expect(await held()).toBe(false)
    await sections(lock, 20, { gapMs: 1 })
    expect(await held()).toBe(true)
    await sections(lock, 1, { gapMs: 50 })
    expect(await held()).toBe(false)
  })

  test('W8: gives it up for good once in a slice, since others may wait whom nobody hears', async () => {
    const lock = client().lock('lock')
    await sections(lock, 12)
    let free = 0
    const from = clock.now()
    while (clock.now() - from < 500) {
      await sections(lock, 1, { gapMs: 1, sectionMs: 1 })
      if (!(await held())) free += 1
    }
    expect(free).toBeGreaterThanOrEqual(500 / 28)
  })

  test('not beyond a section that lasts longer than a slice', async () => {
    const lock = client().lock('lock')
    await sections(lock, 12)
    await sections(lock, 1, { sectionMs: 25 })
    expect(await held()).toBe(false)
    for (let time = 0; time < 5; time += 1) {
      await sections(lock, 1, { sectionMs: 30 })
      expect(await held()).toBe(false)
    }
  })

  test.each([
    ['lingerMs: 0', { lingerMs: 0 }],
    ['handOverSliceMs: 0', { handOverSliceMs: 0 }],
    ['maxHandOvers: 0', { maxHandOvers: 0 }],
  ])('not with %s', async (_, options) => {
    const lock = client(options).lock('lock')
    for (let time = 0; time < 30; time += 1) {
      await sections(lock, 1)
      expect(await held()).toBe(false)
    }
  })

  test('with lingerMs: 0 of the lock or the call neither; nor do those calls make a habit', async () => {
    const holdfast = client()
    await sections(holdfast.lock('lock', { lingerMs: 0 }), 30)
    expect(await held()).toBe(false)
    for (let time = 0; time < 30; time += 1)
      await (await holdfast.lock('lock').acquire({ lingerMs: 0 })).release()
    expect(await held()).toBe(false)
    await sections(holdfast.lock('lock'), 8)
    expect(await held()).toBe(false)
  })

  test('fair locks, jobs, and several at once are not kept', async () => {
    const holdfast = client()
    const both = holdfast.multiLock([holdfast.lock('lock'), holdfast.lock('other')])
    for (let time = 0; time < 30; time += 1) {
      await sections(holdfast.fairLock('lock'), 1)
      expect(await held()).toBe(false)
      await holdfast.job('lock', { atLeastMs: 0, atMostMs: 1_000 }, () => undefined)
      expect(await held()).toBe(false)
      await both.withLock(() => undefined)
      expect(await held()).toBe(false)
    }
  })

  test('L2: with a lease of its own it stays no longer than that', async () => {
    const lock = client().lock('lock')
    for (let time = 0; time < 20; time += 1) {
      await clock.advance(10)
      await (await lock.acquire({ leaseMs: 12 })).release()
    }
    expect(await heldFor()).toBeLessThan(12)
  })

  test('C: a fenced lock mints a token for each tenure', async () => {
    const lock = client().fencedLock('lock')
    let fence = 0n
    for (let time = 0; time < 30; time += 1) {
      const hold = await lock.acquire()
      expect(hold.fence).toBeGreaterThan(fence)
      fence = hold.fence ?? 0n
      await hold.release()
    }
    expect(await held()).toBe(true)
  })

  test('nothing of it is left where its client is closed', async () => {
    for (const options of [{}, { drainMs: 60_000 }]) {
      const holdfast = client()
      await sections(holdfast.lock('lock'), 20)
      expect(await held()).toBe(true)
      await holdfast.close(options)
      expect(await held()).toBe(false)
    }
  })
})

describe('others, while it is kept', () => {
  test('a single attempt is not refused', async () => {
    const lock = client().lock('lock')
    await sections(lock, 20, { gapMs: 10 })
    expect(await held()).toBe(true)
    const trying = far.tryAcquire()
    await clock.advance(1)
    const hold = await trying
    expect(hold).not.toBeNull()
    await hold?.release()
  })

  test('who waits has it at once', async () => {
    const lock = client().lock('lock')
    await sections(lock, 20, { gapMs: 10 })
    const from = clock.now()
    const hold = await far.acquire()
    expect(clock.now()).toBe(from)
    await hold.release()
  })

  test('processes in loops take turns of a slice, in order', async () => {
    const log: string[] = []
    let working = true
    const work = ['a', 'b', 'c'].map(async (who) => {
      const lock = client({ maxHandOvers: Number.POSITIVE_INFINITY }).lock('lock')
      while (working)
        await lock.withLock(async () => {
          log.push(who)
          await new Promise<void>((resolve) => clock.startTimer(resolve, 1))
        })
    })
    await clock.advance(2_000)
    working = false
    await clock.advance(200)
    await Promise.all(work)
    // Habits form in the first thirty sections; the last turns are cut short.
    const turns = runs(log.slice(60)).slice(1, -3)
    expect(turns.length).toBeGreaterThan(30)
    for (const [, inARow] of turns) expect(inARow).toBe(25)
    const order = turns.map(([who]) => who)
    expect(order.slice(3)).toEqual(order.slice(0, -3))
  })
})
