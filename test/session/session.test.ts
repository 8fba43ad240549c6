/** Locks that last as long as their client's session: what is told when it ends, and what it costs to keep and to wait. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { VirtualClock } from '../../src/memory/index.js'
import { Ensemble } from '../../src/memory-session/ensemble.js'
import { MemorySessionStore } from '../../src/memory-session/store.js'
import { CutLink } from './cut-link.js'

let clock: VirtualClock
let ensemble: Ensemble
let made: Holdfast[]

beforeEach(() => {
  clock = new VirtualClock()
  ensemble = new Ensemble(clock)
  made = []
})
afterEach(async () => {
  const closing = Promise.all(made.map((holdfast) => holdfast.close()))
  await clock.advance(60_000)
  await closing
})

interface Client {
  readonly holdfast: Holdfast
  readonly link: CutLink
}

function client(options: HoldfastOptions = {}): Client {
  const link = new CutLink(ensemble)
  const holdfast = new Holdfast(new MemorySessionStore(ensemble, () => link), {
    watchdogMs: 9_000,
    ...options,
  })
  made.push(holdfast)
  return { holdfast, link }
}

/** Lets all go on that needs no time. */
const settled = (): Promise<void> => clock.advance(0)

describe('a session', () => {
  test('S1: its end loses all its locks, each told once, before anybody else sees one free', async () => {
    const [{ holdfast, link }, other] = [client(), client()]
    const holds = [
      await holdfast.lock('plain').acquire(),
      await holdfast.fairLock('fair').acquire(),
      await holdfast.fencedLock('fenced').acquire(),
    ]
    const [lost, suspended] = [journalOf(holdfast, 'lost'), journalOf(holdfast, 'suspended')]
    const freeBeforeTold: string[] = []
    for (const hold of holds) {
      void other.holdfast
        .lock(hold.name)
        .acquire()
        .then((mine) => {
          if (!hold.signal.aborted) freeBeforeTold.push(hold.name)
          return mine.release()
        })
    }
    await settled()
    link.cut = true
    await clock.advance(30_000)
    expect(freeBeforeTold).toEqual([])
    expect(lost.map(({ name }) => name).sort()).toEqual(['fair', 'fenced', 'plain'])
    expect(new Set(suspended.map(({ name }) => name)).size).toBe(3)
    for (const hold of holds) expect(await rejectionOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' })
    for (const hold of holds) expect(await other.holdfast.lock(hold.name).isLocked()).toBe(false)
  })

  test('that the server has ended is known with the next keep-alive, long before the leases by the clock', async () => {
    const { holdfast } = client({ watchdogMs: 90_000 })
    const lost = journalOf(holdfast, 'lost')
    await holdfast.lock('one').acquire()
    await holdfast.lock('two').acquire()
    ensemble.end('1')
    await settled()
    expect(lost.map(({ name }) => name).sort()).toEqual(['one', 'two'])
  })

  test('S7: a connection that comes back within its time has lost nothing', async () => {
    const { holdfast, link } = client()
    const lost = journalOf(holdfast, 'lost')
    const hold = await holdfast.lock('lock').acquire()
    await clock.advance(2_000)
    link.cut = true
    await clock.advance(4_000)
    link.cut = false
    await clock.advance(60_000)
    hold.assertHeld()
    expect(lost).toEqual([])
    await hold.release()
  })

  test('S4: a waiter whose session has ended is not granted by its old place, and gets in by a new one', async () => {
    const [holder, waiter, behind] = [client(), client({ storeTimeoutMs: 60_000 }), client()]
    const hold = await holder.holdfast.lock('lock').acquire()
    const waiting = waiter.holdfast.lock('lock').acquire()
    await settled()
    const next = behind.holdfast.lock('lock').acquire()
    await settled()
    waiter.link.cut = true
    await clock.advance(20_000)
    waiter.link.cut = false
    await hold.release()
    await settled()
    // It stood before, and is passed over: its session has ended meanwhile.
    const second = await next
    await clock.advance(20_000)
    await second.release()
    await settled()
    const last = await waiting
    last.assertHeld()
    expect((await holder.holdfast.lock('lock').inspect()).owners).toEqual([{ owner: last.owner, holds: 1 }])
    await last.release()
  })

  test('S6: a release sends news to one client, whoever else waits', async () => {
    const holder = client()
    const waiters = [client(), client(), client(), client()]
    const hold = await holder.holdfast.lock('lock').acquire()
    const waits = []
    for (const { holdfast } of waiters) {
      waits.push(holdfast.lock('lock').acquire())
      await settled()
    }
    const newsOf = (): number[] => waiters.map(({ link }) => link.news)
    const before = newsOf()
    await hold.release()
    const first = await waits[0]
    await settled()
    expect(newsOf().map((news, index) => news - (before[index] ?? 0))).toEqual([1, 0, 0, 0])
    await first?.release()
    for (const wait of waits.slice(1)) await (await wait).release()
  })

  test.each(['stand', 'remove'])(
    'S3: a reply to "%s" that is lost leaves one entry, or none',
    async (what) => {
      const { holdfast, link } = client()
      const lock = holdfast.lock('lock')
      await lock.withLock(() => undefined)
      link.unanswered = what
      const section = lock.withLock(() => ensemble.read('lock').length)
      await clock.advance(1_000)
      expect(await section).toBe(1)
      await clock.advance(1_000)
      expect(ensemble.read('lock')).toEqual([])
    },
  )

  test('a process has one place in line for all its calls, and hands over within without a command', async () => {
    const [holder, waiter] = [client(), client()]
    const hold = await holder.holdfast.lock('lock').acquire()
    const sections = [1, 2, 3, 4].map(() => waiter.holdfast.lock('lock').withLock(() => undefined))
    await settled()
    expect(ensemble.read('lock')).toHaveLength(2)
    const before = waiter.link.sent.length
    await hold.release()
    await Promise.all(sections)
    expect(waiter.link.sent.slice(before)).toEqual(['read', 'remove'])
  })

  test('calls for a fair or a fenced lock have a place each', async () => {
    for (const kind of ['fairLock', 'fencedLock'] as const) {
      const [holder, waiter] = [client(), client()]
      const hold = await holder.holdfast[kind](kind).acquire()
      const sections = [1, 2, 3].map(() => waiter.holdfast[kind](kind).withLock(() => undefined))
      await settled()
      expect(ensemble.read(kind)).toHaveLength(4)
      await hold.release()
      await Promise.all(sections)
    }
  })

  test('uncontended: one command to take, one to release; the session costs one in a third of its time', async () => {
    const { holdfast, link } = client()
    await holdfast.lock('lock').withLock(() => undefined)
    const before = link.sent.length
    await holdfast.lock('lock').withLock(() => undefined)
    expect(link.sent.slice(before)).toEqual(['stand', 'remove'])
    await holdfast.lock('lock').acquire({ maxHoldMs: 60_000 })
    link.sent.length = 0
    await clock.advance(9_000)
    expect(link.sent.length).toBeLessThanOrEqual(6)
    expect(new Set(link.sent)).toEqual(new Set(['keepAlive']))
  })

  test('a lease shorter than the session is ended by the client, and by the server if that has gone', async () => {
    const [holder, other] = [client(), client()]
    await holder.holdfast.lock('lock').acquire({ leaseMs: 100 })
    await clock.advance(99)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
    await holder.holdfast.lock('lock').acquire({ leaseMs: 100 })
    holder.link.cut = true
    await clock.advance(1_999)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
  })

  test('a lease longer than the session outlives it', async () => {
    const [holder, other] = [client(), client()]
    const hold = await holder.holdfast.lock('lock').acquire({ leaseMs: 60_000 })
    holder.link.cut = true
    await clock.advance(59_000)
    hold.assertHeld()
    expect(await other.holdfast.lock('lock').isLocked()).toBe(true)
    await clock.advance(1_000)
    expect(hold.signal.aborted).toBe(true)
    expect(await other.holdfast.lock('lock').isLocked()).toBe(false)
  })
})
