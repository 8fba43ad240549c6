import type { AcquireOptions, Hold, Holdfast, Lock } from '../../src/index.js'

export type Held = Pick<Hold, 'owner' | 'signal' | 'assertHeld' | 'release'> & {
  readonly fence?: bigint | undefined
}

export interface Contended {
  acquire(options?: AcquireOptions): Promise<Held>
  tryAcquire(options?: AcquireOptions): Promise<Held | null>
}

/** A kind of lock whose holder is lost, and who is kept out by that. */
export interface Subject {
  readonly kind: string
  /** Whether permits are held, which have no owner and are not forced open. */
  readonly permits: boolean
  /** Whether several may hold it beside each other, so that a holder that is lost keeps no further one out. */
  readonly beside: boolean
  holder(holdfast: Holdfast, name: string): Contended
  contender(holdfast: Holdfast, name: string): Contended
  /** How long the store keeps it yet if nobody is heard of. */
  remainingMs(holdfast: Holdfast, name: string): Promise<number>
  forceUnlock(holdfast: Holdfast, name: string): Promise<unknown>
}

type LockOf = (holdfast: Holdfast, name: string) => Lock

function lockSubject(kind: string, holder: LockOf, contender = holder, beside = false): Subject {
  return {
    kind,
    permits: false,
    beside,
    holder,
    contender,
    remainingMs: (holdfast, name) => holder(holdfast, name).remainingMs(),
    forceUnlock: (holdfast, name) => holder(holdfast, name).forceUnlock(),
  }
}

function permitsSubject(kind: 'semaphore' | 'permitExpirableSemaphore'): Subject {
  const handle = (holdfast: Holdfast, name: string) => holdfast[kind](name, 1)
  return {
    kind,
    permits: true,
    beside: false,
    holder: handle,
    contender: handle,
    remainingMs: async (holdfast, name) => (await handle(holdfast, name).inspect()).remainingMs,
    forceUnlock: () => Promise.reject(new Error(`${kind}: a permit is not forced open`)),
  }
}

/** In a cluster the members are of two slots. */
const membersOf = (holdfast: Holdfast, name: string): Lock[] =>
  ['one', 'other'].map((member) => holdfast.lock(`${name}:${member}`))
const multiLock = (holdfast: Holdfast, name: string) => holdfast.multiLock(membersOf(holdfast, name))

const readLock: LockOf = (holdfast, name) => holdfast.readWriteLock(name).readLock()
const writeLock: LockOf = (holdfast, name) => holdfast.readWriteLock(name).writeLock()

export const plainLock = lockSubject('lock', (holdfast, name) => holdfast.lock(name))

export const subjects: readonly Subject[] = [
  plainLock,
  lockSubject('fenced lock', (holdfast, name) => holdfast.fencedLock(name)),
  lockSubject('fair lock', (holdfast, name) => holdfast.fairLock(name)),
  lockSubject('read lock', readLock, writeLock, true),
  lockSubject('write lock', writeLock),
  lockSubject('write lock, for a reader', writeLock, readLock),
  lockSubject('spin lock', (holdfast, name) => holdfast.spinLock(name, { longestPauseMs: 20 })),
  permitsSubject('semaphore'),
  permitsSubject('permitExpirableSemaphore'),
  {
    kind: 'multi-lock',
    permits: false,
    beside: false,
    holder: multiLock,
    contender: multiLock,
    remainingMs: async (holdfast, name) =>
      Math.max(...(await Promise.all(membersOf(holdfast, name).map((lock) => lock.remainingMs())))),
    forceUnlock: (holdfast, name) => Promise.all(membersOf(holdfast, name).map((lock) => lock.forceUnlock())),
  },
]
