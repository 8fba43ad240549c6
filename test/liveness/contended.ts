import type { Holdfast } from '../../src/index.js'

/** Nobody who waits may wait for its end, unless a test says so. */
const LONG_MS = 300_000

/** A kind, taken by one client so that another has to wait for it. */
export interface Contended {
  free(): Promise<unknown>
  wait(holdfast: Holdfast): Promise<{ release(): Promise<unknown> }>
}

export type Contend = (holder: Holdfast, name: string, leaseMs?: number) => Promise<Contended>

const lockLike =
  (make: (holdfast: Holdfast, name: string) => ReturnType<Holdfast['lock']>): Contend =>
  async (holder, name, leaseMs = LONG_MS) => {
    const hold = await make(holder, name).acquire({ leaseMs })
    return { free: () => hold.release(), wait: (holdfast) => make(holdfast, name).acquire() }
  }

/** Every kind that waits for an announcement. */
export const kinds: ReadonlyArray<readonly [string, Contend]> = [
  ['lock', lockLike((holdfast, name) => holdfast.lock(name))],
  ['fencedLock', lockLike((holdfast, name) => holdfast.fencedLock(name))],
  ['fairLock', lockLike((holdfast, name) => holdfast.fairLock(name))],
  ['writeLock', lockLike((holdfast, name) => holdfast.readWriteLock(name).writeLock())],
  [
    'readLock',
    async (holder, name, leaseMs = LONG_MS) => {
      const hold = await holder.readWriteLock(name).writeLock().acquire({ leaseMs })
      return {
        free: () => hold.release(),
        wait: (holdfast) => holdfast.readWriteLock(name).readLock().acquire(),
      }
    },
  ],
  [
    'semaphore',
    async (holder, name, leaseMs = LONG_MS) => {
      await holder.semaphore(name).trySetPermits(1)
      const permit = await holder.semaphore(name).acquire({ leaseMs })
      return { free: () => permit.release(), wait: (holdfast) => holdfast.semaphore(name).acquire() }
    },
  ],
  [
    'permitExpirableSemaphore',
    async (holder, name, leaseMs = LONG_MS) => {
      await holder.permitExpirableSemaphore(name).trySetPermits(1)
      const permit = await holder.permitExpirableSemaphore(name).acquire({ leaseMs })
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
      return {
        free: () => latch.countDown(),
        wait: async (holdfast) => {
          await holdfast.countDownLatch(name).await()
          return { release: async () => undefined }
        },
      }
    },
  ],
]
