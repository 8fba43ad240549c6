import { checkObject, whole } from './checks.js'

/** Options of one lock. Times are whole milliseconds. */
export interface LockOptions {
  /**
   * How long this process may keep the lock after a release, unless another process asks for it: see docs/lingering.md. Minimum: 0.
   * @default the `lingerMs` of the `Holdfast`
   */
  readonly lingerMs?: number
}

export function checkLockOptions(options: LockOptions): LockOptions {
  checkObject('options', options, ['lingerMs'])
  whole('lingerMs', options.lingerMs, 0)
  return options
}
