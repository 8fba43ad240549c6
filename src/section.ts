import { LockLostError, StoreError } from './errors.js'
import type { Hold } from './hold.js'
import type { OnLost } from './options.js'

/** What a section of `withLock` runs. */
export type Section<Result> = (hold: Hold) => Result | PromiseLike<Result>

/**
 * Runs the body of a section whose lock is held, gives the lock back, and decides what comes of it (rule L6): the body's own
 * error always wins; a loss, or a release that could not be delivered, rejects with the body's result attached, unless the
 * caller has chosen to go on without.
 */
export async function runSection<Result>(
  hold: Hold,
  body: () => Promise<Awaited<Result>>,
  onLost: OnLost | undefined,
  onTrouble: (error: unknown) => void,
): Promise<Awaited<Result>> {
  let result: Awaited<Result>
  try {
    result = await body()
  } catch (error) {
    await hold.release().catch((trouble: unknown) => {
      // A loss was told by the event `lost`; other trouble would go unheard beside the body's error.
      if (!(trouble instanceof LockLostError)) onTrouble(trouble)
    })
    throw error
  }
  try {
    await hold.release()
  } catch (error) {
    const attachable = error instanceof LockLostError || error instanceof StoreError
    if (attachable && onLost === 'continue') return result
    if (attachable) error.result = result
    throw error
  }
  return result
}
