/**
 * A release that a waiter could not hear is made up for by finding that out and looking, not by waiting for a lease (rule W7): the
 * table "Until a waiter is woken" of docs/guarantees.md, for every kind that waits for an announcement.
 */
import { describe, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import type { Scene } from '../fault/scene.js'
import { stage } from '../fault/stage.js'
import { eventually } from '../setup/eventually.js'

/** Far below the lease that the holders have. */
const WOKEN_WITHIN_MS = 10_000
const LEASE_MS = 300_000

/** A kind, taken by one client so that another has to wait for it. */
interface Contended {
  free(): Promise<unknown>
  wait(holdfast: Holdfast): Promise<unknown>
}

type Contend = (holder: Holdfast, name: string) => Promise<Contended>

const lockLike =
  (make: (holdfast: Holdfast, name: string) => ReturnType<Holdfast['lock']>): Contend =>
  async (holder, name) => {
    const hold = await make(holder, name).acquire({ leaseMs: LEASE_MS })
    return { free: () => hold.release(), wait: (holdfast) => make(holdfast, name).acquire() }
  }

const kinds: ReadonlyArray<readonly [string, Contend]> = [
  ['lock', lockLike((holdfast, name) => holdfast.lock(name))],
  ['fencedLock', lockLike((holdfast, name) => holdfast.fencedLock(name))],
  ['fairLock', lockLike((holdfast, name) => holdfast.fairLock(name))],
  ['writeLock', lockLike((holdfast, name) => holdfast.readWriteLock(name).writeLock())],
  [
    'readLock',
    async (holder, name) => {
      const hold = await holder.readWriteLock(name).writeLock().acquire({ leaseMs: LEASE_MS })
      return {
        free: () => hold.release(),
        wait: (holdfast) => holdfast.readWriteLock(name).readLock().acquire(),
      }
    },
  ],
  [
    'semaphore',
    async (holder, name) => {
      await holder.semaphore(name).trySetPermits(1)
      const permit = await holder.semaphore(name).acquire({ leaseMs: LEASE_MS })
      return { free: () => permit.release(), wait: (holdfast) => holdfast.semaphore(name).acquire() }
    },
  ],
  [
    'permitExpirableSemaphore',
    async (holder, name) => {
      await holder.permitExpirableSemaphore(name).trySetPermits(1)
      const permit = await holder.permitExpirableSemaphore(name).acquire({ leaseMs: LEASE_MS })
      return {
        free: () => permit.release(),
        wait: (holdfast) => holdfast.permitExpirableSemaphore(name).acquire(),
      }
    },
  ],
  [
    'countDownLatch',
    async (holder, name) => {
      const latch = holder.countDownLatch(name)
      await latch.trySetCount(1)
      return { free: () => latch.countDown(), wait: (holdfast) => holdfast.countDownLatch(name).await() }
    },
  ],
]

describe.each(['ioredis-6', 'ioredis-5'] as const)('W7: a release that was not heard (%s)', (library) => {
  let scene: Scene

  stage(library, (_server, made) => {
    scene = made
  })

  const faults: ReadonlyArray<readonly [string, () => void, () => void]> = [
    ['its connections break', () => scene.proxy.breakAll(), () => undefined],
    [
      'its connections break and are refused for a while',
      () => {
        scene.proxy.refuse()
        scene.proxy.breakAll()
      },
      () => scene.proxy.heal(),
    ],
  ]

  test.each(faults)(
    'because %s: every kind of waiter is woken long before the lease ends',
    async (_what, strike, heal) => {
      const holder = scene.holdfast({}, { proxied: false })
      const waiter = scene.holdfast()
      const contended = await Promise.all(
        kinds.map(async ([kind, contend]) => ({ kind, ...(await contend(holder, `${scene.name}:${kind}`)) })),
      )
      const asleep = new Set(kinds.map(([kind]) => kind))
      const granted = contended.map(async ({ kind, wait }) => {
        await wait(waiter)
        asleep.delete(kind)
      })
      await eventually(async () => (await scene.channels()).length >= kinds.length - 1)
      strike()
      await Promise.all(contended.map(({ free }) => free()))
      heal()
      await eventually(
        () => [...asleep].join(),
        (kindsAsleep) => kindsAsleep === '',
        WOKEN_WITHIN_MS,
      )
      await Promise.all(granted)
    },
  )
})
