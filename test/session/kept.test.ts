/** Locks that stay with their process on a server with sessions (rule W9): what that costs, and who is told. */
import { describe, expect, test } from 'vitest'
import type { HoldfastOptions } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Fleet } from './fleet.js'

const fleet = duringEach(() => new Fleet())

function other(options: HoldfastOptions = {}) {
  const client = fleet.client(options)
  return { ...client, lock: client.holdfast.lock('lock') }
}

/** A client that keeps the lock, with nobody inside. */
async function keeper(options: HoldfastOptions = { lingerMs: 5_000 }) {
  const client = other(options)
  for (let time = 0; time < 10; time += 1) await client.lock.withLock(() => undefined)
  expect(fleet.line()).toHaveLength(1)
  expect(await client.lock.inspect()).toMatchObject({ owners: [], lingering: true })
  return client
}

/** What comes of it, with all the time that it needs. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  await fleet.clock.advance(30)
  return await work
}

describe('requests', () => {
  test.each(['auto', 5_000] as const)(
    'lingerMs: %s: one to take it, none for each section while it stays, one to release it',
    async (lingerMs) => {
      const { lock, link, holdfast } = await keeper({ lingerMs })
      const before = holdfast.metrics().lingered
      const taking = link.sent.filter((what) => what !== 'begin')
      for (let time = 0; time < 100; time += 1) await lock.withLock(() => undefined)
      expect(holdfast.metrics().lingered - before).toBe(100)
      await fleet.clock.advance(6_000)
      const sent = link.sent.filter((what) => what !== 'begin' && what !== 'keepAlive')
      expect(sent).toEqual([...taking, 'remove'])
      expect(taking.slice(-2)).not.toContain('lease')
    },
  )

  test('a single attempt elsewhere: a question, and the attempts around it', async () => {
    await keeper()
    const { lock, link } = other()
    const hold = await inTime(lock.tryAcquire())
    expect(hold).not.toBeNull()
    expect(link.sent.filter((what) => what !== 'begin')).toEqual(['stand', 'ask', 'stand'])
    await hold?.release()
  })

  test('a look elsewhere: two looks and a question', async () => {
    await keeper()
    const { lock, link } = other()
    expect(await inTime(lock.isLocked())).toBe(false)
    expect(link.sent).toEqual(['read', 'ask', 'read'])
  })

  test('who waits elsewhere asks by coming', async () => {
    await keeper()
    const { lock, link } = other()
    const from = fleet.clock.now()
    const hold = await lock.acquire()
    expect(fleet.clock.now()).toBe(from)
    expect(link.sent).not.toContain('ask')
    await hold.release()
  })
})

describe('who is told', () => {
  test.each(['fencedLock', 'fairLock', 'spinLock'] as const)(
    'another kind of lock of the same process (%s) gets it at once',
    async (kind) => {
      const { holdfast } = await keeper()
      await inTime(holdfast[kind]('lock').withLock((hold) => hold.assertHeld()))
    },
  )

  test('nobody who asks is counted as one who waits, nor stays in line; once the section ends the lock is free', async () => {
    const { lock } = await keeper()
    const hold = await lock.acquire()
    const far = other()
    expect(await inTime(far.lock.tryAcquire())).toBeNull()
    expect(await inTime(far.lock.isLocked())).toBe(true)
    expect(await lock.countWaitingClients()).toBe(0)
    expect(fleet.line()).toHaveLength(1)
    await hold.release()
    await fleet.settled()
    expect(fleet.line()).toEqual([])
  })

  test('W9: a question that is lost leaves the lock with its process for lingerMs, and no longer', async () => {
    const { link } = await keeper({ lingerMs: 400 })
    link.cut = true
    const waiting = other().lock.acquire()
    await fleet.clock.advance(300)
    link.cut = false
    const from = fleet.clock.now()
    const gets = waiting.then(() => fleet.clock.now() - from)
    await fleet.clock.advance(200)
    expect(await gets).toBeLessThanOrEqual(100)
  })
})

describe('the session', () => {
  test('that has ended takes what stays with it: the next section has a grant of the next session', async () => {
    const { lock, holdfast } = await keeper()
    fleet.ensemble.end('1')
    await fleet.settled()
    expect(holdfast.census.tenures).toBe(0)
    const hold = await lock.acquire()
    expect(fleet.line()).toHaveLength(1)
    await hold.release()
  })

  test('of a process that has died with nobody inside keeps others out as long as with somebody inside', async () => {
    const { link } = await keeper()
    link.cut = true
    const hold = other().lock.acquire()
    await fleet.clock.advance(15_000)
    await (await hold).release()
  })
})

test('a fenced lock is not kept: each tenure has its own entry, which is its token', async () => {
  const { holdfast } = fleet.client()
  for (let time = 0; time < 20; time += 1) {
    await holdfast.fencedLock('lock').withLock(() => undefined)
    expect(fleet.line()).toEqual([])
  }
})
