import type { Kind } from '../kinds/kinds.js'
import * as kinds from '../kinds/kinds.js'
import type { LockView, ShownKind } from './lock-view.js'

/** The values of --kind, for names that several locks have. */
export const kindFlags = ['lock', 'read-write', 'semaphore', 'permits', 'latch'] as const
export type KindFlag = (typeof kindFlags)[number]

const BY_KIND: Readonly<Record<Exclude<ShownKind, 'semaphore or latch'>, KindFlag>> = {
  lock: 'lock',
  'fenced lock': 'lock',
  'read-write lock': 'read-write',
  semaphore: 'semaphore',
  'permit-expirable semaphore': 'permits',
  'count-down latch': 'latch',
}

/** The value of --kind for this lock; undefined if its kind is unknown. */
export function flagOf({ kind }: LockView): KindFlag | undefined {
  return kind === undefined || kind === 'semaphore or latch' ? undefined : BY_KIND[kind]
}

/**
 * The kinds to force open for this lock, in order. Of a lock the next in line gets it. Of a read-write lock
 * only the sides that are held, so that the second step does not evict an owner that entered after the first; readers first, since a writer
 * keeps all others out until then.
 */
export function sidesOf(flag: KindFlag, { owners }: LockView): readonly Kind[] {
  switch (flag) {
    case 'lock':
      return [kinds.lock]
    case 'semaphore':
      return [kinds.semaphore]
    case 'permits':
      return [kinds.permitExpirableSemaphore]
    case 'latch':
      return [kinds.countDownLatch]
    case 'read-write':
      return (['read', 'write'] as const)
        .filter((side) => owners.some(({ mode }) => mode === side))
        .map((side) => (side === 'read' ? kinds.readLock : kinds.writeLock))
  }
}
