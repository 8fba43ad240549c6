/** What bounds a lock that its process keeps by habit (`lingerMs: 'auto'`), to the millisecond. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Hold, Holdfast, HoldfastOptions, Lock } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Processes } from './processes.js'

const processes = duringEach(() => new Processes())
let far: Lock
beforeEach(() => {
  far = client().lock('lock')
})

function client(options: HoldfastOptions = {}): Holdfast {
  return processes.holdfast(options)
}

/** How long the store has it as somebody's from now on, looking every half millisecond. */
async function heldFor(): Promise<number> {
  const { clock } = processes
  const from = clock.now()
  while (await processes.taken()) await clock.advance(0.5)
  return clock.now() - from
}

describe('a process keeps a lock by itself', () => {
  test('not before it has come back eight times: each release frees it', async () => {
    const lock = client().lock('lock')
    for (let time = 0; time < 8; time += 1) {
      await processes.sections(lock, 1)
      expect(await processes.taken()).toBe(false)
    }
  })

  test.each([
    [0, 1],
    [2, 4],
    [5, 10],
  ])('coming back after %d ms: for %d ms after the last release', async (gapMs, keptMs) => {
    const lock = client().lock('lock')
    await processes.sections(lock, 9, { gapMs })
    expect(await lock.inspect()).toMatchObject({ lingering: true })
    expect(await lock.isLocked()).toBe(false)
    expect(await heldFor()).toBe(keptMs)
  })

  test('no command is sent meanwhile, and the holds are like any other', async () => {
    const holdfast = client()
    const lock = holdfast.lock('lock')
    await processes.sections(lock, 11)
    const before = holdfast.metrics().lingered
    await processes.sections(lock, 20)
    expect(holdfast.metrics().lingered - before).toBe(20)
    const hold = await lock.acquire()
    await hold.run(() => lock.withLock(async () => expect(await lock.holdCount(hold.owner)).toBe(2)))
    const trying = far.tryAcquire()
    await processes.clock.advance(25)
    expect(await trying).toBeNull()
    await hold.release()
  })

  test('not where it comes back late, nor after it has once', async () => {
    const lock = client().lock('lock')
    await processes.sections(lock, 20, { gapMs: 13 })
    expect(await processes.taken()).toBe(false)
    await processes.sections(lock, 20, { gapMs: 1 })
    expect(await processes.taken()).toBe(true)
    await processes.sections(lock, 1, { gapMs: 50 })
    expect(await processes.taken()).toBe(false)
  })

  test('W8: gives it up for good once in a slice, since others may wait whom nobody hears', async () => {
    const lock = client().lock('lock')
    await processes.sections(lock, 12)
    let free = 0
    const from = processes.clock.now()
    while (processes.clock.now() - from < 500) {
      await processes.sections(lock, 1, { gapMs: 1, sectionMs: 1 })
      if (!(await processes.taken())) free += 1
    }
    expect(free).toBeGreaterThanOrEqual(500 / 28)
  })

  test('not beyond a section that lasts longer than a slice', async () => {
    const lock = client().lock('lock')
    await processes.sections(lock, 12)
    await processes.sections(lock, 1, { sectionMs: 25 })
    expect(await processes.taken()).toBe(false)
    for (let time = 0; time < 5; time += 1) {
      await processes.sections(lock, 1, { sectionMs: 30 })
      expect(await processes.taken()).toBe(false)
    }
  })

  test('then it is not noted as kept: who asks elsewhere is refused at once', async () => {
    const lock = client().lock('lock')
    await processes.sections(lock, 12)
    await processes.sections(lock, 1, { sectionMs: 25 })
    const hold = await lock.acquire()
    expect(await far.tryAcquire()).toBeNull()
    expect(await far.isLocked()).toBe(true)
    await hold.release()
  })

  test.each([
    ['lingerMs: 0', { lingerMs: 0 }],
    ['handOverSliceMs: 0', { handOverSliceMs: 0 }],
    ['maxHandOvers: 0', { maxHandOvers: 0 }],
  ])('not with %s', async (_, options) => {
    const lock = client(options).lock('lock')
    for (let time = 0; time < 30; time += 1) {
      await processes.sections(lock, 1)
      expect(await processes.taken()).toBe(false)
    }
  })

  test('with lingerMs: 0 of the lock or the call neither; nor do those calls make a habit', async () => {
    const holdfast = client()
    await processes.sections(holdfast.lock('lock', { lingerMs: 0 }), 30)
    expect(await processes.taken()).toBe(false)
    for (let time = 0; time < 30; time += 1)
      await (await holdfast.lock('lock').acquire({ lingerMs: 0 })).release()
    expect(await processes.taken()).toBe(false)
    await processes.sections(holdfast.lock('lock'), 8)
    expect(await processes.taken()).toBe(false)
  })

  test('fair locks, jobs, and several at once are not kept', async () => {
    const holdfast = client()
    const both = holdfast.multiLock([holdfast.lock('lock'), holdfast.lock('other')])
    for (let time = 0; time < 30; time += 1) {
      await processes.sections(holdfast.fairLock('lock'), 1)
      expect(await processes.taken()).toBe(false)
      await holdfast.job('lock', { atLeastMs: 0, atMostMs: 1_000 }, () => undefined)
      expect(await processes.taken()).toBe(false)
      await both.withLock(() => undefined)
      expect(await processes.taken()).toBe(false)
    }
  })

  test('W9: not with a lease of its own, which a process that dies with nobody inside would leave', async () => {
    const lock = client().lock('lock')
    await processes.sections(lock, 12)
    for (let time = 0; time < 20; time += 1) {
      await (await lock.acquire({ leaseMs: 600_000 })).release()
      expect(await processes.taken()).toBe(false)
    }
  })

  test.each([
    ['was extended', (held: Hold) => held.extend(600_000)],
    ['was renewed', () => processes.clock.advance(2_000)],
  ])(
    'W9: not with a lease that %s: a process that dies with nobody inside would leave it',
    async (_, lengthen) => {
      const lock = client({ handOverSliceMs: 10_000 }).lock('lock')
      await processes.sections(lock, 12)
      const hold = await lock.acquire()
      await lengthen(hold)
      await hold.release()
      expect(await processes.taken()).toBe(false)
    },
  )
})

describe('the lease of a lock that may be kept', () => {
  /** A hold of it, just granted. */
  async function hold(): Promise<Hold> {
    const lock = client().lock('lock')
    await processes.sections(lock, 12)
    while (await processes.taken()) await processes.clock.advance(0.5)
    return await lock.acquire()
  }

  test('W9: is short at first, so a process that dies with nobody inside holds nobody up for longer', async () => {
    await (await hold()).release()
    expect(await processes.stored()).toMatchObject({ lingers: true, remainingMs: 5_000 })
  })

  test('W9: is short too for whoever enters by a command', async () => {
    const lock = client().fencedLock('lock')
    await processes.sections(lock, 12)
    expect(await processes.stored()).toMatchObject({ lingers: true })
    await processes.clock.advance(0.5)
    await (await lock.acquire()).release()
    expect(await processes.stored()).toMatchObject({ lingers: true, remainingMs: 5_000 })
  })

  test('L1: is renewed as any other, from when a third of that is over', async () => {
    const held = await hold()
    await processes.clock.advance(1_600)
    expect((await processes.stored()).remainingMs).toBe(3_400)
    await processes.clock.advance(100)
    expect((await processes.stored()).remainingMs).toBeGreaterThan(29_000)
    await processes.clock.advance(120_000)
    expect(held.signal.aborted).toBe(false)
    await held.release()
  })
})

describe('others, while it is kept', () => {
  test('processes in loops take turns of a slice, in order, once habits have formed', async () => {
    await processes.takeTurns({ lingerMs: 'auto' }, 2_000, 60)
  })
})
