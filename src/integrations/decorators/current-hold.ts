import { AsyncLocalStorage } from 'node:async_hooks'
import { begin } from '../../base/identity/begin.js'
import type { Hold } from '../../kinds/hold.js'

const holds = new AsyncLocalStorage<Hold>()

/** Runs the body of a decorated method, which has no parameter for its hold. */
export function withCurrentHold<Result>(hold: Hold, body: () => Result): Result | Promise<Awaited<Result>> {
  return holds.run(hold, begin, body)
}

/**
 * The hold of the decorated method (`@locked`, or `@Lock` and `@ScheduledLock` of `holdfast/nestjs`) that runs here, for its `signal` and its
 * `assertHeld()`. In code that the method calls too; `undefined` outside of one.
 */
export function currentHold(): Hold | undefined {
  return holds.getStore()
}
