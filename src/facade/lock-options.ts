import type { KindContext } from './acquirer.js'
import { checkObject, invalidNumber, whole } from './checks.js'

/** Options of one lock. Times are whole milliseconds. */
export interface LockOptions {
  /**
   * How long this process may keep the lock after a release, unless another process asks for it: see docs/lingering.md. Minimum: 0.
   * @default the `lingerMs` of the `Holdfast`
   */
  readonly lingerMs?: number
}

/** What handles of a kind with these options are made of. */
export function withLockOptions(context: KindContext, options: LockOptions): KindContext {
  checkObject('options', options, ['lingerMs'])
  const lingerMs = whole('lingerMs', options.lingerMs, 0)
  if (lingerMs === undefined) return context
  if (context.lingerMs === undefined)
    throw invalidNumber('lingerMs', lingerMs, 'undefined, because this lock cannot linger')
  return { ...context, lingerMs }
}

/** For several locks at once, which end with their release. */
export function withoutLingering(context: KindContext): KindContext {
  return { ...context, lingerMs: undefined }
}
