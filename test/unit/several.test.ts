/** Calls for several locks, all or any of them, on a store that answers when the test says so. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LEAST_ANSWER_MS } from '../../src/core/acquire/outage.js'
import { fairLock, lock, readLock } from '../../src/kinds/kinds.js'
import type { Terms } from '../../src/kinds/several/acquire-all.js'
import type { AcquireRequest, BatchPort } from '../../src/port/lock-port.js'
import type { VirtualClock } from '../../src/stores/memory/index.js'
import { later } from '../setup/later.js'
import { FallingSilent } from './falling-silent.js'
import { endOf } from './in-virtual-time.js'
import { within } from './scenery.js'
import { NOTHING_LEFT, ScriptedLocker } from './scripted-locker.js'
import { BUSY, GRANTED, ScriptedPort, settle } from './scripted-port.js'

const NAMES = ['a', 'b', 'c']

let clock: VirtualClock
let port: ScriptedPort
let scripted: ScriptedLocker

beforeEach(() => {
  port = new ScriptedPort(true)
  scripted = new ScriptedLocker(port)
  clock = scripted.clock
})

/** Grants what is asked for now. */
const answer = (): Promise<readonly AcquireRequest[]> => scripted.answer(() => GRANTED)

describe('AcquireAll', () => {
  /** A call for all, each of which has been granted: their leases begin. */
  async function granted(terms: Partial<Terms>) {
    const outcome = scripted.all(NAMES, { leaseMs: 60_000, ...terms })
    outcome.catch(() => undefined)
    for (const _ of NAMES) await answer()
    expect(port.renewals.all.map(({ request }) => request.name)).toEqual(NAMES)
    return { outcome }
  }

  async function allIsGivenBack(): Promise<void> {
    expect(await scripted.freeAll()).toEqual(NAMES)
    expect(scripted.locker.census).toMatchObject(NOTHING_LEFT)
  }

  test.each([
    ['is over', 500, 500],
    ['is over before a store can answer: then so long', 20, LEAST_ANSWER_MS],
  ])('W5: the leases are not begun when the wait %s: the call is refused', async (_, waitMs, endsAtMs) => {
    const { outcome } = await granted({ waitMs })
    await clock.advance(endsAtMs - 1)
    expect(port.releases.all).toEqual([])
    await clock.advance(1)
    const cause = { code: 'STORE_ERROR', reason: 'timeout' }
    expect(await outcome).toMatchObject({ waitedMs: endsAtMs, cause })
    await allIsGivenBack()
  })

  test('W5: the last lock came at the end of the wait: the leases have the time of an answer to begin', async () => {
    const outcome = scripted.all(NAMES, { waitMs: 500, leaseMs: 60_000 })
    await answer()
    await answer()
    await clock.advance(499)
    await answer()
    await clock.advance(LEAST_ANSWER_MS - 1)
    for (const each of port.renewals.all.splice(0)) each.answer(true)
    expect(await outcome).toHaveLength(NAMES.length)
  })

  test('W4: an abort while the leases begin gives all back, and rejects with its reason', async () => {
    const aborting = new AbortController()
    const { outcome } = await granted({ signal: aborting.signal })
    await clock.advance(100)
    aborting.abort('over')
    await expect(outcome).rejects.toBe('over')
    await allIsGivenBack()
  })

  test.each(['drain', 'close'] as const)(
    'H5: the client %ss while the leases begin: it ends at once, and gives all back',
    async (end) => {
      const { outcome } = await granted({})
      const ended = scripted.locker.lifetime[end]()
      await expect(outcome).rejects.toMatchObject({ code: 'CLOSED', lockName: 'a' })
      await allIsGivenBack()
      await ended
    },
  )

  test.each([lock, fairLock, readLock])(
    'W2: one was lost meanwhile: what waits for the release of the others is woken by it ($name)',
    async (kind) => {
      scripted = new ScriptedLocker(port, { kind })
      const caller = scripted.scope()
      // As for a section that opens a scope of its own.
      const outcome = scripted.all(NAMES, { caller, holder: within(caller), unrelated: true })
      await answer()
      const [taken] = await answer()
      if (!taken) throw new Error('b was asked for')
      const { keyspace } = kind
      scripted.locker.tenures.lostInStore({ keyspace, name: 'b', owner: taken.owner, reason: 'not-in-store' })
      await answer()
      expect(await scripted.freeAll()).toEqual(['a', 'c'])
      for (const _ of NAMES) await answer()
      expect(await outcome).toHaveLength(NAMES.length)
    },
  )
})

describe('AcquireAny', () => {
  /** Refuses until nothing more is asked; tells what was. */
  async function refuseAll(): Promise<string[]> {
    const asked = await scripted.answer(() => BUSY)
    return asked.length === 0 ? [] : [...asked.map(({ name }) => name), ...(await refuseAll())]
  }

  test('the order is of chance', async () => {
    const orders = new Set<string>()
    for (let time = 0; time < 20; time += 1) {
      const outcome = scripted.any(6, { waitMs: 0 })
      orders.add((await refuseAll()).join())
      await outcome
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  test('more than can be waited for: 64 at a time, and others after a while', async () => {
    const watched = (from = 0) => port.watches.all.slice(from).map(({ request }) => request.name)
    const outcome = scripted.any(200, { waitMs: 12_000 })
    await refuseAll()
    const first = watched().sort()
    expect(new Set(first).size).toBe(64)
    await clock.advance(5_000)
    await refuseAll()
    const second = watched(64).sort()
    expect(port.closedWatches).toBe(64)
    expect(second).toHaveLength(64)
    expect(second).not.toEqual(first)
    await clock.advance(7_000)
    await refuseAll()
    await clock.advance(2_000)
    expect('waitedMs' in (await outcome)).toBe(true)
  })

  describe('where several can be asked for with one command', () => {
    /** The even ones are in one place, the odd ones in another; nobody can have any. */
    class Together extends ScriptedPort {
      readonly asked: Array<readonly string[]> = []
      silent = false
      readonly together: BatchPort = {
        placeOf: (name) => Number(name) % 2,
        acquireAll: () => Promise.reject(new Error('one of them was wanted')),
        acquireOne: async (requests) => {
          this.asked.push(requests.map(({ name }) => name))
          return this.silent ? await new Promise<never>(() => undefined) : requests.map(() => BUSY)
        },
      }
    }
    let both: ScriptedLocker<Together>
    beforeEach(() => {
      both = new ScriptedLocker(new Together(true))
    })

    test('one, then twice as many with each refusal; each command for one place', async () => {
      expect(await both.any(100, { waitMs: 0 })).toMatchObject({ holder: 'other:1' })
      const { asked } = both.port
      expect(asked.flat().sort()).toEqual(Array.from({ length: 100 }, (_, index) => String(index)).sort())
      for (const names of asked) expect(new Set(names.map((name) => Number(name) % 2)).size).toBe(1)
      expect(asked[0]).toHaveLength(1)
      // Batches of 1, 2, 4, …, 64, each in two places at most.
      expect(asked.length).toBeLessThanOrEqual(13)
    })

    test('a wait that ends because the store does not answer says so, however many places were not asked', async () => {
      both.port.silent = true
      const outcome = both.any(100, { waitMs: 200 })
      await settle()
      await both.clock.advance(200)
      expect(await outcome).toMatchObject({ cause: { code: 'STORE_ERROR', reason: 'timeout' } })
      expect(await outcome).not.toHaveProperty('name')
      expect(both.port.asked).toHaveLength(1)
    })
  })
})

describe('H5: a call for several locks that does not wait, while its client drains', () => {
  const atOnce = { waitMs: 0 }

  test('takes the others of all, and that is waited for until it gives them back', async () => {
    const { locker } = scripted
    const asking = scripted.all(NAMES, atOnce)
    const draining = endOf(clock, locker.lifetime.drain())
    for (const name of NAMES) expect(await answer()).toMatchObject([{ name }])
    const grants = await asking
    if ('name' in grants) return expect.unreachable()
    expect(draining).toEqual({})
    await expect(scripted.all(NAMES.slice(1), atOnce)).rejects.toMatchObject({ code: 'CLOSED' })
    const released = grants.map((grant) => locker.release(grant))
    expect(await scripted.freeAll()).toEqual(NAMES)
    await Promise.all(released)
    expect(draining).toEqual({ at: 0 })
  })

  test('asks for the others of any, and that ends when it is refused', async () => {
    const asking = scripted.any(3, atOnce)
    const draining = endOf(clock, scripted.locker.lifetime.drain())
    for (let asked = 0; asked < 3; ) {
      expect(draining).toEqual({})
      asked += (await scripted.answer(() => BUSY)).length
    }
    expect(await asking).toMatchObject({ holder: 'other:1' })
    await settle()
    expect(draining).toEqual({ at: 0 })
    expect(scripted.locker.census).toMatchObject(NOTHING_LEFT)
  })

  test('gives back what it takes after draining was cut short', async () => {
    const { locker } = scripted
    const asking = scripted.all(NAMES, atOnce)
    const refused = later(expect(asking).rejects.toMatchObject({ code: 'CLOSED', lockName: 'b' }))
    void locker.lifetime.drain()
    await answer()
    const closing = endOf(clock, locker.lifetime.close())
    await refused
    await answer()
    expect(await scripted.freeAll()).toEqual(['a', 'b'])
    await settle()
    expect(closing).toEqual({ at: 0 })
    expect(locker.census).toMatchObject(NOTHING_LEFT)
  })
})

const COMMAND_MS = 300
const calls: ReadonlyArray<readonly [string, (silent: ScriptedLocker) => Promise<unknown>]> = [
  ['all of 3', (silent) => silent.all(NAMES)],
  ['any of 3', (silent) => silent.any(3)],
  ['any of 100', (silent) => silent.any(100)],
]

describe.each([
  ['short', 900],
  ['longer than any part of the call', 10_000],
])('H4: a call for several locks gives up a silent store, storeTimeoutMs %s', (_, storeTimeoutMs) => {
  describe.each([
    ['with one command for several', true],
    ['one by one', false],
  ])('%s', (_, together) => {
    test.each(calls)(
      '%s: within storeTimeoutMs and one command, not before storeTimeoutMs',
      async (_, call) => {
        const store = new FallingSilent(clock, COMMAND_MS, together)
        store.fallSilent('acquire')
        const silent = new ScriptedLocker(store, { clock, storeTimeoutMs })
        const end = endOf(clock, call(silent))
        await clock.advance(storeTimeoutMs - 1)
        expect(end).toEqual({})
        await clock.advance(COMMAND_MS + 1)
        expect(end).toMatchObject({ error: { code: 'STORE_ERROR', reason: 'timeout' } })
        const closing = silent.locker.lifetime.close()
        await clock.advance(COMMAND_MS)
        await closing
      },
    )
  })
})
