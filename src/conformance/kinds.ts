/** Each kind of lock that has the API of `Lock`, as a client whose `lock()` is that kind: so one suite fits all. */
import { Holdfast, type Lock, type LockOptions } from '../index.js'

export const kindNames = ['lock', 'fenced', 'fair', 'write', 'spin'] as const
export type KindName = (typeof kindNames)[number]

class FencedHoldfast extends Holdfast {
  override lock(name: string, options?: LockOptions): Lock {
    return this.fencedLock(name, options)
  }
}

class FairHoldfast extends Holdfast {
  override lock(name: string, options?: LockOptions): Lock {
    return this.fairLock(name, options)
  }
}

class WriteHoldfast extends Holdfast {
  override lock(name: string): Lock {
    return this.readWriteLock(name).writeLock()
  }
}

class SpinHoldfast extends Holdfast {
  override lock(name: string): Lock {
    return this.spinLock(name, { longestPauseMs: 20 })
  }
}

/** The client of that kind. */
export const clientOf: Readonly<Record<KindName, typeof Holdfast>> = {
  lock: Holdfast,
  fenced: FencedHoldfast,
  fair: FairHoldfast,
  write: WriteHoldfast,
  spin: SpinHoldfast,
}
