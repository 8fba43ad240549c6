/** A connection for news that fell silent, for every kind that waits: one release is missed, and what comes after it is heard. */
import { describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { Scene } from './scene.js'

/** Who is woken by that only has not heard. */
const LONG_LEASE_MS = 60_000
/** When the waiter looks for itself the first time. */
const SHORT_LEASE_MS = 2_000
const WOKEN_WITHIN_MS = 15_000

interface Held {
  release(): Promise<unknown>
}
interface Kind {
  prepare?(holdfast: Holdfast, name: string): Promise<unknown>
  hold(holdfast: Holdfast, name: string, leaseMs: number): Promise<Held>
  wait(holdfast: Holdfast, name: string): Promise<Held>
}

const lockLike = (of: (holdfast: Holdfast, name: string) => ReturnType<Holdfast['lock']>): Kind => ({
  hold: (holdfast, name, leaseMs) => of(holdfast, name).acquire({ leaseMs }),
  wait: (holdfast, name) => of(holdfast, name).acquire(),
})

const kinds: Readonly<Record<string, Kind>> = {
  lock: lockLike((holdfast, name) => holdfast.lock(name)),
  fenced: lockLike((holdfast, name) => holdfast.fencedLock(name)),
  fair: lockLike((holdfast, name) => holdfast.fairLock(name)),
  write: lockLike((holdfast, name) => holdfast.readWriteLock(name).writeLock()),
  read: {
    hold: (holdfast, name, leaseMs) => holdfast.readWriteLock(name).writeLock().acquire({ leaseMs }),
    wait: (holdfast, name) => holdfast.readWriteLock(name).readLock().acquire(),
  },
  semaphore: {
    prepare: (holdfast, name) => holdfast.semaphore(name).trySetPermits(1),
    hold: (holdfast, name, leaseMs) => holdfast.semaphore(name).acquire({ leaseMs }),
    wait: (holdfast, name) => holdfast.semaphore(name).acquire(),
  },
  permit: {
    prepare: (holdfast, name) => holdfast.permitExpirableSemaphore(name).trySetPermits(1),
    hold: (holdfast, name, leaseMs) => holdfast.permitExpirableSemaphore(name).acquire({ leaseMs }),
    wait: (holdfast, name) => holdfast.permitExpirableSemaphore(name).acquire(),
  },
  // Nobody's lease bounds the wait at a latch: beside it the client waits for a lock, whose look finds it out.
  latch: {
    prepare: (holdfast, name) => holdfast.countDownLatch(name).trySetCount(1),
    hold: async (holdfast, name, leaseMs) => {
      await holdfast.countDownLatch(name).trySetCount(1)
      await holdfast.lock(`${name}:beside`).acquire({ leaseMs })
      return { release: () => holdfast.countDownLatch(name).countDown() }
    },
    wait: async (holdfast, name) => {
      const beside = holdfast.lock(`${name}:beside`).acquire()
      // The last one is still waiting at the end.
      beside.catch(() => undefined)
      await holdfast.countDownLatch(name).await()
      return { release: async () => await (await beside).release() }
    },
  },
  multi: {
    hold: (holdfast, name, leaseMs) => holdfast.lock(`${name}:b`).acquire({ leaseMs }),
    wait: (holdfast, name) =>
      holdfast.multiLock([holdfast.lock(`${name}:a`), holdfast.lock(`${name}:b`)]).acquire(),
  },
}

describe.each([
  { where: 'RESP2', client: { protocol: 2 } },
  { where: 'RESP3', client: { protocol: 3 } },
])('H14: after one announcement that was not heard ($where)', ({ client }) => {
  test('the next ones are, by waiters of every kind', async () => {
    const woken = Object.entries(kinds).map(async ([what, kind]) => {
      const scene = await Scene.standalone('ioredis-6')
      const name = `{${scene.name}}:${what}`
      const near = scene.holdfast({}, { proxied: false })
      const far = scene.holdfast({ commandTimeoutMs: 500 }, { client })
      await kind.prepare?.(near, name)
      const first = await kind.hold(near, name, SHORT_LEASE_MS)
      const waiting = kind.wait(far, name)
      // It has looked since it is subscribed, and sleeps.
      await eventually(() => {
        const done = scene.proxy.commands.filter(({ applied }) => applied)
        const from = done.findIndex(({ name }) => name === 'SUBSCRIBE')
        return from >= 0 && done.slice(from + 1).some(({ name }) => name.startsWith('EVAL') || name === 'GET')
      })
      for (const connection of scene.proxy.connections)
        if (connection.commands.some((command) => command.name === 'SUBSCRIBE')) connection.silence()
      await first.release()
      // It looks for itself, and has what nobody told it of.
      await (await waiting).release()
      const second = await kind.hold(near, name, LONG_LEASE_MS)
      const again = kind.wait(far, name)
      await eventually(() => far.metrics().waiting > 0)
      const inLine = async () => await near.readWriteLock(name).writeLock().countWaitingClients()
      await eventually(async () => (await scene.channels()).length > 0 || (await inLine()) === 1)
      const from = performance.now()
      await second.release()
      const got = await again
      const tookMs = performance.now() - from
      if (what !== 'latch') await got.release()
      await scene.end()
      return tookMs < WOKEN_WITHIN_MS ? '' : `${what}: ${tookMs}`
    })
    expect((await Promise.all(woken)).filter(Boolean)).toEqual([])
  }, 120_000)
})
