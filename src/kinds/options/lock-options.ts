import { checkBoolean, checkObject, wholeOrAuto } from '../../base/checks/checks.js'
import type { KindContext } from '../acquiring/acquirer.js'
import { checkLingers } from './options.js'

/** Options of one lock. Times are whole milliseconds. */
export interface LockOptions {
  /**
   * How long this process may keep the lock after a release, unless another process asks for it; `'auto'`: as its habit is. See
   * docs/lingering.md. Minimum: 0.
   * @default the `lingerMs` of the `Holdfast`
   */
  readonly lingerMs?: number | 'auto'
  /**
   * `false`: a call within a section of the same lock rejects at once with `NotReentrantError`, whichever of the two says so. For `lock`,
   * `fencedLock` and `fairLock`.
   * @default true
   */
  readonly reentrant?: boolean
}

/** What handles of a kind with these options are made of. */
export function withLockOptions(context: KindContext, given: LockOptions): KindContext {
  const options = checkObject('options', given, ['lingerMs', 'reentrant'])
  const { reentrant } = options
  checkBoolean('reentrant', reentrant)
  const lingerMs = wholeOrAuto('lingerMs', options.lingerMs, 0)
  checkLingers(lingerMs, context.lingerMs)
  if (lingerMs === undefined && reentrant === undefined) return context
  return { ...context, lingerMs: lingerMs ?? context.lingerMs, reentrant }
}

/** For several locks at once, which end with their release. */
export function withoutLingering(context: KindContext): KindContext {
  return { ...context, lingerMs: undefined }
}
