/** Each kind of lock that has the API of `Lock`, as a client whose `lock()` is that kind: so one suite fits all. */
import { Holdfast, type Lock, type LockOptions } from '../index.js'

export const kindNames = ['lock', 'fenced', 'fair', 'write', 'spin'] as const
export type KindName = (typeof kindNames)[number]

const lockOf: Readonly<
  Record<Exclude<KindName, 'lock'>, (holdfast: Holdfast, name: string, options?: LockOptions) => Lock>
> = {
  fenced: (holdfast, name, options) => holdfast.fencedLock(name, options),
  fair: (holdfast, name, options) => holdfast.fairLock(name, options),
  write: (holdfast, name) => holdfast.readWriteLock(name).writeLock(),
  spin: (holdfast, name) => holdfast.spinLock(name, { longestPauseMs: 20 }),
}

/** The client of that kind. */
export function clientOf(kind: KindName): typeof Holdfast {
  if (kind === 'lock') return Holdfast
  return class extends Holdfast {
    override lock(name: string, options?: LockOptions): Lock {
      return lockOf[kind](this, name, options)
    }
  }
}
