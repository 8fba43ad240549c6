import { InvalidArgumentError, LockLostError, StoreError } from '../../base/errors/errors.js'
import { begin } from '../../base/identity/begin.js'
import type { Owners, Scope } from '../../base/identity/owner.js'
import type { Locker } from '../../core/locker.js'
import { type HoldTrace, runHeld } from '../../observe/trace/hold.js'
import type { Hold } from '../hold.js'
import { type AcquireOptions, NO_OPTIONS, type OnLost } from '../options/options.js'

/** The body of a `withLock` section. */
export type Section<Result, Held = Hold> = (hold: Held) => Result | PromiseLike<Result>

/**
 * The arguments of a call whose options may be left out.
 * @throws {@link InvalidArgumentError} if something comes after the body: options that would not count.
 */
export function optionsAndBody<Result, Held>(
  optionsOrBody: AcquireOptions | Section<Result, Held> | undefined,
  bodyOrNothing: Section<Result, Held> | undefined,
): [AcquireOptions, Section<Result, Held> | undefined] {
  if (typeof optionsOrBody !== 'function')
    return [optionsOrBody === undefined ? NO_OPTIONS : optionsOrBody, bodyOrNothing]
  if (bodyOrNothing === undefined) return [NO_OPTIONS, optionsOrBody]
  throw new InvalidArgumentError('options', bodyOrNothing, 'options before the body, (options, body)')
}

/** A hold, of one lock or of several, as a section needs to know it. */
export interface Returnable {
  release(): Promise<void>
  /** As `release`; undefined when that is done already. */
  giveBack(): Promise<void> | undefined
}

/** What a section is made of. */
interface Parts<Held, Result> {
  readonly body: Section<Result, Held>
  /** What its asynchronous context is to belong to; undefined where it stays as it is. */
  readonly scope: Scope | undefined
  readonly owners: Owners
  readonly onLost: OnLost | undefined
  /** Tells of trouble that nobody would hear of. */
  readonly locker: Pick<Locker, 'events'>
}

/**
 * Runs the body of a section whose lock is held, gives the lock back, and decides what comes of it (rule L6): the body's own
 * error always wins; a loss, or a release that could not be delivered, rejects with the body's result attached, unless the
 * caller has chosen to go on without.
 */
export async function runSection<Held extends Returnable, Result>(
  hold: Held,
  trace: HoldTrace | undefined,
  { body, scope, owners, onLost, locker }: Parts<Held, Result>,
): Promise<Awaited<Result>> {
  let result: Awaited<Result>
  try {
    result = await runHeld(trace, () =>
      scope ? owners.enter(scope, () => body(hold)) : begin(() => body(hold)),
    )
  } catch (error) {
    scope?.end()
    await hold.release().catch((trouble: unknown) => {
      // The event `lost` has reported a loss; nobody would hear of other trouble beside the body's error.
      if (!(trouble instanceof LockLostError)) locker.events.emit('error', trouble)
    })
    throw error
  }
  scope?.end()
  try {
    const releasing = hold.giveBack()
    if (releasing) await releasing
  } catch (error) {
    const attachable = error instanceof LockLostError || error instanceof StoreError
    if (attachable && onLost === 'continue') return result
    if (attachable) error.result = result
    throw error
  }
  return result
}
