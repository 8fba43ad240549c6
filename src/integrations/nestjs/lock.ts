import type { LockOptions } from '../../kinds/options/lock-options.js'
import type { AcquireOptions } from '../../kinds/options/options.js'
import { type LockName, lockNameOf } from '../decorators/lock-name.js'
import { lockedSection } from '../decorators/locked-section.js'
import { type GuardedMethod, guardMethod } from './guarded-method.js'

/**
 * Runs each call of the method as a section of `lock(name)` of the application's `Holdfast`. Calls nest as sections do. The method's hold
 * is `currentHold()` of `holdfast`.
 *
 * @param name the lock's name, which may depend on the call's arguments: `'invoice:{0.id}'` or `(invoice) => …`
 * @param options as for `withLock` and `holdfast.lock`. Without `waitMs` a call waits as long as it takes.
 */
export function Lock<Params extends unknown[]>(
  name: LockName<Params>,
  options: AcquireOptions & LockOptions = {},
): GuardedMethod<Params> {
  const nameOf = lockNameOf(name)
  const section = lockedSection(options)
  return (target, _key, descriptor) => guardMethod(target, descriptor, nameOf, section)
}
