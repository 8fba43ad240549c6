import { describe, expect, test } from 'vitest'
import { ClosedError, type CloseOptions, Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callsOf as callsOfKind, subjects } from '../liveness/calls.js'
import { MuteStore } from './mute-store.js'

type Calls = Readonly<Record<string, () => Promise<unknown>>>

/** Calls of every kind that ask a store something, some of them about what is held before it falls silent. */
async function callsOf(holdfast: Holdfast): Promise<Calls> {
  const owner = holdfast.owner()
  const lock = holdfast.lock('a')
  const hold = (name: string) => holdfast.lock(name).acquire({ leaseMs: 600_000 })
  const [handed, extended, detached] = [await hold('handed over'), await hold('e'), await hold('d')]
  await hold('renewed')
  const nested = await holdfast.lock('nested').acquire({ owner })
  await holdfast.lock('nested').acquire({ owner })
  await holdfast.lock('unlocked').lock({ owner })
  // It lingers.
  await (await hold('several 1')).release()
  const both = holdfast.multiLock([holdfast.lock('b'), holdfast.lock('c')])
  const several = await holdfast.multiLock([holdfast.lock('m1'), holdfast.lock('m2')]).acquire()
  const stripes = holdfast.stripedLock('s', 3)
  const permits = holdfast.permitExpirableSemaphore('n')
  const election = holdfast.leader('boss')
  const ofEachKind = subjects.map(async ([kind, make]) =>
    (await callsOfKind(holdfast, make, kind)).map(({ what, start }) => [`${kind}: ${what}`, start] as const),
  )
  return {
    ...Object.fromEntries((await Promise.all(ofEachKind)).flat()),
    withLock: () => lock.withLock(() => undefined),
    lock: () => lock.lock({ owner }),
    'within an own lock': () => holdfast.lock('nested').acquire({ owner }),
    'behind a release': () => holdfast.lock('handed over').acquire(),
    countWaitingClients: () => lock.countWaitingClients(),
    'release with a successor': () => handed.release(),
    'release of a nested hold': () => nested.release(),
    'release of several': () => several.release(),
    unlock: () => holdfast.lock('unlocked').unlock({ owner }),
    extend: () => extended.extend(900_000),
    detach: () => detached.detach(900_000),
    'all of several with a lease': () => both.acquire({ leaseMs: 60_000 }),
    'any of several': () => stripes.acquireAny(),
    'any of several at once': () => stripes.tryAcquireAny(),
    acquiredPermits: () => permits.acquiredPermits(),
    'who leads': () => election.current(),
    'who leads, and whoever follows': () => election.watch()[Symbol.asyncIterator]().next(),
    'a candidate that is stopped': () => holdfast.leader('other', { onElected: () => undefined }).stop(),
    'computeOnce, another caller': () => holdfast.computeOnce('computeOnce:free', () => 1, { ttlMs: 1_000 }),
    job: () => holdfast.job('j', { atLeastMs: 0, atMostMs: 1_000 }, () => undefined),
    'a guarded value': () => holdfast.guardedValue('v').get(),
    list: async () => {
      for await (const { name } of holdfast.list()) expect.unreachable(name)
    },
  }
}

/** Which calls have not ended a minute after the client was closed, and when that had. */
async function closedOn(
  store: MuteStore,
  holdfast: Holdfast,
  options: CloseOptions,
): Promise<{ readonly open: readonly string[]; readonly closedAt: number | undefined }> {
  holdfast.on('error', () => undefined)
  const calls = Object.entries(await callsOf(holdfast))
  store.mute = true
  const open = new Set<string>()
  for (const [what, call] of calls) {
    open.add(what)
    call()
      .catch(() => undefined)
      .finally(() => open.delete(what))
  }
  await store.clock.advance(100)
  let closedAt: number | undefined
  holdfast.close(options).then(() => {
    closedAt = store.clock.now()
  })
  await store.clock.advance(60_000)
  return { open: [...open], closedAt }
}

describe('H4: on a store that settles nothing every call ends', () => {
  test.each([
    ['is closed', {}, 5_000],
    ['is closed after draining', { drainMs: 1_000 }, 6_000],
    ['is closed without any time for the store', { timeoutMs: 0 }, 0],
  ])('when the client %s', async (_, options, withinMs) => {
    const store = new MuteStore(new VirtualClock())
    const holdfast = new Holdfast(store)
    const { open, closedAt } = await closedOn(store, holdfast, options)
    expect(open).toEqual([])
    expect(closedAt).toBeLessThanOrEqual(100 + withinMs + 1_000)
    // What may still be on its way is counted on: requests to undo, and a hand-over.
    expect(holdfast.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, scopes: 0, timers: 0 })
  })

  test('although its session does not close', async () => {
    const store = new MuteStore(new VirtualClock())
    store.closes = false
    const { open } = await closedOn(store, new Holdfast(store), {})
    expect(open).toEqual([])
  })

  test('a look that fails with its connection says that the client was closed', async () => {
    const store = new MuteStore(new VirtualClock())
    store.fails = true
    const holdfast = new Holdfast(store)
    store.mute = true
    const lock = holdfast.lock('a')
    const answers = Promise.allSettled([
      lock.isLocked(),
      lock.inspect(),
      lock.countWaitingClients(),
      holdfast.list()[Symbol.asyncIterator]().next(),
    ])
    void holdfast.close()
    await store.clock.advance(60_000)
    for (const answer of await answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(ClosedError) })
  })
})
