import type { Kind } from '../kinds.js'
import type { LockView, ShownKind } from './lock-view.js'

/** What a user calls a kind, where several locks have one name. */
export const kindFlags = ['lock', 'read-write', 'semaphore', 'permits', 'latch'] as const
export type KindFlag = (typeof kindFlags)[number]

const BY_KIND: Readonly<Record<Exclude<ShownKind, 'semaphore or latch'>, KindFlag>> = {
  lock: 'lock',
  'fair lock': 'lock',
  'fenced lock': 'lock',
  'read-write lock': 'read-write',
  semaphore: 'semaphore',
  'permit-expirable semaphore': 'permits',
  'count-down latch': 'latch',
}

/** What a user would call it; undefined where that is not known. */
export function flagOf({ kind }: LockView): KindFlag | undefined {
  return kind === undefined || kind === 'semaphore or latch' ? undefined : BY_KIND[kind]
}

/**
 * What is to be freed for it, in that order. Of a fair lock that has a line the next in it gets the lock. Of a read-write lock only the sides that are held, so that nobody who is let in by the first is thrown out by the second; and the
 * readers first, since a writer keeps everybody else out till then.
 */
export function sidesOf(flag: KindFlag, { kind, owners }: LockView): readonly Kind[] {
  switch (flag) {
    case 'lock':
      return [kind === 'fair lock' ? 'fair lock' : 'lock']
    case 'semaphore':
      return ['semaphore']
    case 'permits':
      return ['permit-expirable semaphore']
    case 'latch':
      return ['count-down latch']
    case 'read-write':
      return (['read', 'write'] as const)
        .filter((side) => owners.some(({ mode }) => mode === side))
        .map((side): Kind => `${side} lock`)
  }
}
