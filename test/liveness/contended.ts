/** Every kind that waits for an announcement: how one client has it, and others are kept from it. */
import type { AcquireOptions, Hold, Holdfast } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'

/** Nobody who waits may wait for its end, unless a test says so. */
const LONG_MS = 300_000

type Held = Pick<Hold, 'assertHeld' | 'release'>

interface Way {
  acquire(options?: Pick<AcquireOptions, 'leaseMs'>): Promise<Held>
  tryAcquire(): Promise<Held | null>
}

/** As its holder has it, and as another would have what it keeps others from. */
export interface Ways {
  take(holdfast: Holdfast, name: string): Way | Promise<Way>
  want(holdfast: Holdfast, name: string): Way
}

const alike = (want: Ways['want']): Ways => ({ take: want, want })
const reader: Ways['want'] = (holdfast, name) => holdfast.readWriteLock(name).readLock()
const writer: Ways['want'] = (holdfast, name) => holdfast.readWriteLock(name).writeLock()

const permits = (kind: 'semaphore' | 'permitExpirableSemaphore'): Ways => ({
  take: async (holdfast, name) => {
    await holdfast[kind](name).trySetPermits(1)
    return holdfast[kind](name)
  },
  want: (holdfast, name) => holdfast[kind](name),
})

export const ways = {
  lock: alike((holdfast, name) => holdfast.lock(name)),
  fencedLock: alike((holdfast, name) => holdfast.fencedLock(name)),
  fairLock: alike((holdfast, name) => holdfast.fairLock(name)),
  writeLock: alike(writer),
  readLock: { take: reader, want: writer },
  semaphore: permits('semaphore'),
  permitExpirableSemaphore: permits('permitExpirableSemaphore'),
} satisfies Readonly<Record<string, Ways>>

/** A kind, taken by one client so that another has to wait for it. */
export interface Contended {
  free(): Promise<unknown>
  wait(holdfast: Holdfast): Promise<{ release(): Promise<unknown> }>
}

export type Contend = (holder: Holdfast, name: string, leaseMs?: number) => Promise<Contended>

const contendFor =
  ({ take, want }: Ways): Contend =>
  async (holder, name, leaseMs = LONG_MS) => {
    const hold = await (await take(holder, name)).acquire({ leaseMs })
    return { free: () => hold.release(), wait: (holdfast) => want(holdfast, name).acquire() }
  }

const latch: Contend = async (holder, name) => {
  await holder.countDownLatch(name).trySetCount(1)
  return {
    free: () => holder.countDownLatch(name).countDown(),
    wait: async (holdfast) => {
      await holdfast.countDownLatch(name).await()
      return { release: async () => undefined }
    },
  }
}

export const kinds: ReadonlyArray<readonly [string, Contend]> = [
  // Readers wait for a writer here, as writers do for readers elsewhere.
  ...Object.entries({ ...ways, readLock: { take: writer, want: reader } }).map(
    ([kind, each]) => [kind, contendFor(each)] as const,
  ),
  ['countDownLatch', latch],
]

/** One client has every kind, and a waiter of each sleeps. */
export async function sleepers(holder: Holdfast, waiter: Holdfast, name: string) {
  const contended = await Promise.all(
    kinds.map(async ([kind, contend]) => ({ kind, ...(await contend(holder, `${name}:${kind}`)) })),
  )
  const asleep = new Set(kinds.map(([kind]) => kind))
  const granted = contended.map(async ({ kind, wait }) => {
    await wait(waiter)
    asleep.delete(kind)
  })
  for (const each of granted) each.catch(() => undefined)
  return {
    free: () => Promise.all(contended.map(({ free }) => free())),
    allWoken: async (withinMs: number) => {
      const kindsAsleep = (): string => [...asleep].join()
      await eventually(kindsAsleep, (kinds) => kinds === '', withinMs)
      await Promise.all(granted)
    },
  }
}
