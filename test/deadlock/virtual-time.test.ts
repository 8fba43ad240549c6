/** What comes of deadlocks, and when: to the millisecond, since time is the memory store's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { viewOf } from '../../src/client/deadlock/view.js'
import { kindsOf } from '../../src/client/lock-client.js'
import { Latch } from '../../src/conformance/latch.js'
import { DeadlockError, type HoldfastOptions, LockTimeoutError } from '../../src/index.js'
import { MOST_EDGES_READ, type SeenEdge } from '../../src/port/edges-port.js'
import type { VirtualClock } from '../../src/stores/memory/index.js'
import { duringEach } from '../setup/during.js'
import { closeAll, endOf } from '../unit/in-virtual-time.js'
import { Processes } from '../unit/processes.js'
import { deadlocksOf, plainRing, ringOf } from './ring.js'

const processes = duringEach(() => new Processes())
let clock: VirtualClock

beforeEach(() => {
  clock = processes.clock
})
afterEach(async () => {
  await closeAll(clock, ...processes.made)
  expect(await edges()).toEqual([])
})

const client = (label: string, options?: HoldfastOptions) => processes.holdfast({ label, ...options })

const three = (options?: HoldfastOptions) =>
  [client('web-1', options), client('web-2', options), client('batch', options)] as const

async function edges(): Promise<SeenEdge[]> {
  const looking = processes.holdfast()
  const found: SeenEdge[] = []
  for await (const edge of viewOf(kindsOf(looking).session)?.edges.list() ?? []) found.push(edge)
  await looking.close()
  return found
}

describe('a ring of three', () => {
  test('K2: each client is told of it once, within two seconds, with labels and locks', async () => {
    const { told } = await plainRing(three(), 'order')
    await clock.advance(2_000)
    for (const events of told) {
      expect(events).toHaveLength(1)
      expect(events[0]?.victim).toBeUndefined()
      const cycle = events[0]?.cycle ?? []
      expect(
        cycle.map(({ label, holds, waitsFor }) => `${label}: ${holds.name} > ${waitsFor.name}`).sort(),
      ).toEqual(['batch: order:2 > order:0', 'web-1: order:0 > order:1', 'web-2: order:1 > order:2'])
    }
    await clock.advance(60_000)
    expect(told.map((events) => events.length)).toEqual([1, 1, 1])
  })

  test('K4: the youngest ends with a DeadlockError, the others go on, and all were told who that would be', async () => {
    const holdfasts = three({ onDeadlock: 'reject' })
    const { sections, told } = await plainRing(holdfasts.slice(0, 2), 'order')
    await clock.advance(2_000)
    const ends = await Promise.all(sections)
    const [error] = ends.filter((end) => end instanceof DeadlockError)
    expect(ends.filter((end) => typeof end === 'string')).toHaveLength(1)
    expect(error).toMatchObject({ code: 'DEADLOCK', cycle: [{}, {}] })
    expect(error).toHaveProperty('message', expect.stringContaining('web-1 ('))
    const victims = told.flatMap((events) => events.map(({ victim }) => victim))
    expect(victims.length).toBeGreaterThan(0)
    expect(new Set(victims).size).toBe(1)
    expect(holdfasts.map(({ census }) => census.calls)).toEqual([0, 0, 0])
  })

  test('K4: only a client that rejects gives way, however old its wait is', async () => {
    const patient = client('patient')
    const yielding = client('yielding', { onDeadlock: 'reject' })
    const { sections } = await ringOf([
      { holdfast: yielding, first: yielding.lock('a'), second: yielding.lock('b') },
      { holdfast: patient, first: patient.lock('b'), second: patient.lock('a') },
    ])
    await clock.advance(2_000)
    const [yielded, other] = await Promise.all(sections)
    expect(yielded).toBeInstanceOf(DeadlockError)
    expect(other).toBe('a')
  })

  test('K2: within one client, and over fair, fenced, read and write locks', async () => {
    const holdfast = client('alone', { onDeadlock: 'reject' })
    const shared = holdfast.readWriteLock('d')
    const { sections, told } = await ringOf([
      { holdfast, first: holdfast.fairLock('a'), second: holdfast.fencedLock('b') },
      { holdfast, first: holdfast.fencedLock('b'), second: shared.writeLock() },
      { holdfast, first: shared.readLock(), second: holdfast.fairLock('a') },
    ])
    await clock.advance(2_000)
    const ends = await Promise.all(sections)
    expect(ends.filter((end) => end instanceof DeadlockError)).toHaveLength(1)
    const kinds = told[0]?.[0]?.cycle.map(({ holds, waitsFor }) => `${holds.kind} > ${waitsFor.kind}`).sort()
    expect(kinds).toEqual(['lock > lock', 'lock > write lock', 'read lock > lock'])
  })

  test('K2: a multi-lock that has some of its locks and waits for the next one, outside of any scope', async () => {
    const [several, other] = three()
    const told = [several, other].map(deadlocksOf)
    const owner = other.owner()
    const held = await other.lock('c').acquire({ owner })
    const all = several.multiLock(['a', 'b', 'c'].map((name) => several.lock(name))).withLock(() => 'all')
    await clock.advance(1)
    const inner = other.lock('a').acquire({ owner })
    await clock.advance(2_000)
    expect(told.map((events) => events.map(({ cycle }) => cycle.length))).toEqual([[2], [2]])
    await held.release()
    await clock.advance(1)
    expect(await all).toBe('all')
    await clock.advance(1)
    await (await inner).release()
  })

  test('K2: over a lock that was handed on in memory, which the store has down to an earlier owner', async () => {
    const [one, other] = three()
    const told = deadlocksOf(one)
    const leave = new Latch()
    const first = one.lock('a').withLock(() => leave.opened)
    await clock.advance(1)
    const second = one.lock('a').withLock(() => one.lock('b').withLock(() => 'both'))
    const owner = other.owner()
    const held = await other.lock('b').acquire({ owner })
    await clock.advance(1)
    leave.open()
    await first
    const inner = other.lock('a').acquire({ owner })
    await clock.advance(2_000)
    const mine = (await edges()).find(({ waitsFor }) => waitsFor.name === 'b')
    expect(mine?.holds[0]?.storedAs).not.toBe(mine?.owner)
    expect(told.map(({ cycle }) => cycle.length)).toEqual([2])
    await held.release()
    await clock.advance(1)
    expect(await second).toBe('both')
    await (await inner).release()
  })

  test('K2: with one of very many that wait for the same lock, more than anybody reads', async () => {
    const [crowd, holder] = three()
    const told = deadlocksOf(crowd)
    const owner = holder.owner()
    const hot = await holder.lock('hot').acquire({ owner })
    const sections = Array.from({ length: MOST_EDGES_READ + 12 }, (_, index) =>
      crowd.lock(`own:${index}`).withLock(() => crowd.lock('hot').withLock(() => undefined)),
    )
    await clock.advance(600)
    // One that nobody sees who reads all of them.
    const unseen = (await edges())[MOST_EDGES_READ]?.holds[0]?.name ?? ''
    const inner = holder.lock(unseen).acquire({ owner })
    await clock.advance(4_000)
    expect(told.map(({ cycle }) => cycle.map(({ waitsFor }) => waitsFor.name).sort())).toEqual([
      ['hot', unseen],
    ])
    await hot.release()
    await clock.advance(1_000)
    await Promise.all(sections)
    await (await inner).release()
  })
})

describe('what is no deadlock', () => {
  test('K1: a wait in code that holds nothing, a short one and one for any of several leave nothing', async () => {
    const [holder, waiting] = three()
    const hold = await holder.lock('a').acquire()
    const stripes = await Promise.all([0, 1].map((index) => holder.lock(`s:${index}`).acquire()))
    const plain = waiting.lock('a').acquire()
    const any = waiting.lock('b').withLock(() => waiting.stripedLock('s', 2).acquireAny())
    const short = endOf(
      clock,
      waiting.lock('c').withLock(() => waiting.lock('a').acquire({ waitMs: 499 })),
    )
    await clock.advance(499)
    expect(short.error).toBeInstanceOf(LockTimeoutError)
    await clock.advance(3_000)
    expect(await edges()).toEqual([])
    for (const each of [hold, ...stripes]) await each.release()
    await clock.advance(1)
    await (await plain).release()
    await (await any).release()
  })

  test('K3: siblings do not wait for what the other one holds beside them', async () => {
    const [mine, theirs] = three()
    const told = [mine, theirs].map(deadlocksOf)
    const [work, inside] = [new Latch(), new Latch()]
    const theirSection = theirs.lock('b').withLock(async () => {
      await inside.opened
      return await theirs.lock('a').withLock(() => 'done')
    })
    const mySection = mine.lock('outer').withLock(() =>
      Promise.all([
        mine.lock('a').withLock(async () => {
          inside.open()
          await work.opened
        }),
        mine.lock('b').withLock(() => undefined),
      ]),
    )
    await clock.advance(5_000)
    expect(told).toEqual([[], []])
    work.open()
    await clock.advance(1)
    expect(await theirSection).toBe('done')
    await clock.advance(1)
    await mySection
  })

  test('K2: an owner that is passed explicitly, and one of a run, hold what they have taken', async () => {
    const [one, other] = three({ onDeadlock: 'reject' })
    const told = deadlocksOf(one)
    const owner = one.owner()
    const hold = await one.lock('a').acquire({ owner })
    const running = other.run(async () => {
      await other.lock('b').lock()
      await other.lock('a').lock()
      await other.lock('a').unlock()
      await other.lock('b').unlock()
    })
    await clock.advance(1)
    const ends = [one.lock('b').acquire({ owner }), running].map((work) => endOf<unknown>(clock, work))
    await clock.advance(2_000)
    expect(told).toHaveLength(1)
    await hold.release()
    await clock.advance(60_000)
    expect(ends.filter(({ error }) => error instanceof DeadlockError)).toHaveLength(1)
  })
})

describe('the edge of a wait', () => {
  async function waits(options: { waitMs?: number; signal?: AbortSignal } = {}) {
    const [holder, waiting] = three()
    const hold = await holder.lock('a').acquire()
    const section = endOf(
      clock,
      waiting.lock('b').withLock(() => waiting.lock('a').withLock(options, () => 'both')),
    )
    await clock.advance(500)
    expect(await edges()).toMatchObject([
      { since: 0, waitsFor: { kind: 'lock', name: 'a' }, holds: [{ kind: 'lock', name: 'b' }] },
    ])
    return { hold, waiting, section }
  }

  test.each(['the grant', 'the end of its time', 'an abort', 'its client'])(
    'K5: goes with %s',
    async (end) => {
      const abort = new AbortController()
      const { hold, section, waiting } = await waits(
        end === 'the end of its time' ? { waitMs: 600 } : { signal: abort.signal },
      )
      if (end === 'the grant') await hold.release()
      if (end === 'an abort') abort.abort(new Error('enough'))
      if (end === 'its client') await waiting.close()
      await clock.advance(600)
      expect(section).toMatchObject(end === 'the grant' ? { value: 'both' } : { error: expect.any(Error) })
      expect(await edges()).toEqual([])
    },
  )

  test('K5: is gone within seven seconds where its process is, and as long as it waits it stays, with its beginning', async () => {
    await waits()
    await clock.advance(30_000)
    expect(await edges()).toMatchObject([{ since: 0 }])
    // The process does nothing any more.
    clock.skip(7_000)
    expect(await edges()).toEqual([])
  })
})
