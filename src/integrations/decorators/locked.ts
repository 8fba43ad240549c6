import { checkMethods } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { LockClient } from '../../client/lock-client.js'
import type { LockOptions } from '../../kinds/options/lock-options.js'
import type { AcquireOptions } from '../../kinds/options/options.js'
import { withCurrentHold } from './current-hold.js'
import { type LockName, lockNameOf } from './lock-name.js'
import { lockedSection } from './locked-section.js'

/** A method that returns a promise. */
type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>

/**
 * A method decorator (of the standard, not `experimentalDecorators`): each call of the method runs as a section of `lock(name)`. Calls
 * nest as sections do. The method's hold is `currentHold()`. See docs/decorators.md.
 *
 * @param client the client, or where an object has it
 * @param name the lock's name, which may depend on the call's arguments: `'invoice:{0.id}'`
 * @param options as for `withLock` and `holdfast.lock`. Without `waitMs` a call waits as long as it takes.
 * @throws `InvalidArgumentError`, at the decoration, if the name is not well formed or an option is invalid. The calls reject as `withLock` does.
 */
export function locked<Self, Params extends unknown[]>(
  client: LockClient | ((self: Self) => LockClient),
  name: LockName<Params>,
  options: AcquireOptions & LockOptions = {},
): <This extends Self, Args extends [...Params, ...unknown[]], Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
) => Method<This, Args, Result> {
  const nameOf = lockNameOf(name)
  const section = lockedSection(options)
  if (typeof client !== 'function') checkLockClient(client)
  return (method, context) => {
    if (context?.kind !== 'method')
      throw new InvalidArgumentError(
        'context',
        context,
        'that of a method, by a compiler without experimentalDecorators',
      )
    return async function (...args) {
      const found = typeof client === 'function' ? client(this) : client
      checkLockClient(found)
      return await section(found, nameOf(args), (hold) =>
        withCurrentHold(hold, () => method.apply(this, args)),
      )
    }
  }
}

function checkLockClient(client: unknown): void {
  checkMethods('client', client, ['lock'], 'a Holdfast or a LockClient')
}
