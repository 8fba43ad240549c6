/** While a slot is on its way, its keys are at one node and those who listen at the other: they hear all the same (rule W7). */
import { describe, expect, test } from 'vitest'
import type { AcquireOptions, Hold, Holdfast, MultiHold } from '../../src/index.js'
import { takes } from '../fault/takes.js'
import { clientLibraries } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { MovableCluster } from './slot-move.js'

/** Who waits for the end of this was not woken. */
const LEASE_MS = 25_000
const WOKEN_WITHIN_MS = 10_000
/** So long a place that nobody waits on would keep the lock. */
const GRANT_UNHEARD_MS = 4_500

interface Setting {
  readonly take: (holdfast: Holdfast, name: string, options?: AcquireOptions) => Promise<Hold | MultiHold>
  /** Prepares what lets in who waits. */
  readonly act?: (hold: Hold | MultiHold, near: Holdfast, name: string) => () => Promise<unknown>
}

const settings: Readonly<Record<string, Setting>> = {
  'a lock is released': { take: takes.lock },
  'a lock is forced open': {
    take: takes.lock,
    act: (_hold, near, name) => () => near.lock(name).forceUnlock(),
  },
  'the locks of a multi-lock are released': {
    take: (holdfast, name, options) =>
      holdfast.multiLock([holdfast.lock(name), holdfast.lock(`${name}:second`)]).acquire(options),
  },
  'a lock is handed over to a lease that ends sooner': {
    take: takes.lock,
    act: (hold, near, name) => {
      // In line in the same process: it gets the lock from the release, in one command.
      const next = takes.lock(near, name, { leaseMs: 1_500 })
      return async () => {
        await hold.release()
        await next
      }
    },
  },
}

describe.each(clientLibraries)('H12: the keys of a slot have moved, the slot has not (%s)', (library) => {
  const cluster = duringEach(() => MovableCluster.bring(), 60_000)
  const holdfast = (): Holdfast => cluster.holdfast({ storeTimeoutMs: LEASE_MS }, library)

  test('the plain lock is taken, waited for and given back meanwhile; its line goes on when the slot has arrived', async () => {
    const name = '{moving}'
    const [near, far] = [holdfast(), holdfast()]
    const untilWaiting = () =>
      eventually(
        () => near.lock(name).countWaitingClients(),
        (count) => count === 1,
      )
    const first = await near.lock(name).acquire()
    // It has a place in line, which nobody can reach for a while, and which stays there when it has had the lock.
    const waiting = far.lock(name).acquire()
    await untilWaiting()
    const move = await cluster.move(name)
    await move.take([name])
    await first.release()
    await (await waiting).release()
    for (const made of [near, far, near]) await made.lock(name).withLock(() => undefined)
    const second = await near.lock(name).acquire()
    const waitsInNoLine = far.lock(name).acquire()
    await Promise.race([waitsInNoLine, new Promise((resolve) => setTimeout(resolve, 700))])
    await second.release()
    await (await waitsInNoLine).release()
    await move.finish()
    const third = await near.lock(name).acquire()
    const waitsAgain = far.lock(name).acquire()
    await untilWaiting()
    const releasedAt = performance.now()
    await third.release()
    await (await waitsAgain).release()
    expect(performance.now() - releasedAt).toBeLessThan(GRANT_UNHEARD_MS)
  }, 90_000)

  test.each(Object.entries(settings))(
    '%s: whoever waits is woken',
    async (_what, { take, act = (hold) => () => hold.release() }) => {
      const name = '{moving}'
      const [near, far] = [holdfast(), holdfast()]
      const letIn = act(await take(near, name, { leaseMs: LEASE_MS }), near, name)
      const waiting = take(far, name).then((next) => next.release())
      await eventually(() => near.lock(name).countWaitingClients())
      const move = await cluster.move(name)
      await move.take(await move.keys())
      const actedAt = performance.now()
      await letIn()
      await waiting
      expect(performance.now() - actedAt).toBeLessThan(WOKEN_WITHIN_MS)
    },
    90_000,
  )
})
