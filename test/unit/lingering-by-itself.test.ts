/** What bounds a lock that its process keeps by habit (`lingerMs: 'auto'`), to the millisecond. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Hold, Holdfast, HoldfastOptions, Lock } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Processes } from './processes.js'

const processes = duringEach(() => new Processes())
const client = (options: HoldfastOptions = {}): Holdfast => processes.holdfast(options)
let far: Lock
beforeEach(() => {
  far = client().lock('lock')
})

describe('a process keeps a lock by itself', () => {
  test.each([
    [0, 1],
    [2, 4],
    [5, 10],
  ])('coming back after %d ms: for %d ms after the last release', async (gapMs, keptMs) => {
    const lock = client().lock('lock')
    await processes.sections(lock, 9, { gapMs })
    expect(await lock.inspect()).toMatchObject({ lingering: true })
    expect(await lock.isLocked()).toBe(false)
    expect(await processes.heldFor()).toBe(keptMs)
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

  const none = (): undefined => undefined
  const ways: ReadonlyArray<readonly [string, HoldfastOptions, (holdfast: Holdfast) => Promise<unknown>]> = [
    ['with lingerMs: 0', { lingerMs: 0 }, (holdfast) => holdfast.lock('lock').withLock(none)],
    ['with handOverSliceMs: 0', { handOverSliceMs: 0 }, (holdfast) => holdfast.lock('lock').withLock(none)],
    ['with maxHandOvers: 0', { maxHandOvers: 0 }, (holdfast) => holdfast.lock('lock').withLock(none)],
    ['with lingerMs: 0 of the lock', {}, (holdfast) => holdfast.lock('lock', { lingerMs: 0 }).withLock(none)],
    ['with lingerMs: 0 of the call', {}, (holdfast) => holdfast.lock('lock').withLock({ lingerMs: 0 }, none)],
    ['a fair lock', {}, (holdfast) => holdfast.fairLock('lock').withLock(none)],
    ['after a job', {}, (holdfast) => holdfast.job('lock', { atLeastMs: 0, atMostMs: 1_000 }, none)],
    [
      'one of several',
      {},
      (holdfast) => holdfast.multiLock([holdfast.lock('lock'), holdfast.lock('b')]).withLock(none),
    ],
  ]
  test.each(ways)('not %s; nor does that make a habit', async (_, options, section) => {
    const holdfast = client(options)
    for (let time = 0; time < 30; time += 1) {
      await section(holdfast)
      expect(await processes.taken()).toBe(false)
    }
    await processes.sections(holdfast.lock('lock'), 8)
    expect(await processes.taken()).toBe(false)
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
  test('processes in loops take turns of a slice, in order, once habits have formed', () =>
    processes.takeTurns({ lingerMs: 'auto' }, 2_000, 60))
})
