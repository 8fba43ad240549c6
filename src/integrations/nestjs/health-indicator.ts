import { whole } from '../../base/checks/checks.js'
import { ClosedError, StoreError } from '../../base/errors/errors.js'
import { clearTimeout, setTimeout } from '../../base/time/machine-time.js'
import type { Holdfast } from '../../holdfast.js'

/** What `@nestjs/terminus` expects of an indicator. */
export type HoldfastHealth = Record<
  string,
  { readonly status: 'up' } | { readonly status: 'down'; readonly reason: string }
>

/** Whether the store answers, as a health indicator for `@nestjs/terminus`. It asks whether a lock is held, and takes none. */
export class HoldfastHealthIndicator {
  readonly #holdfast: Holdfast

  /** @internal */
  constructor(holdfast: Holdfast) {
    this.#holdfast = holdfast
  }

  /**
   * @param key the name of this part in the report
   * @param timeoutMs how long the store has to answer, in whole milliseconds
   * @returns `down` with a reason, without addresses and names, if it does not. Does not reject for a store that is down.
   */
  async check(key = 'holdfast', timeoutMs = 1_000): Promise<HoldfastHealth> {
    whole('timeoutMs', timeoutMs, 1)
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), timeoutMs)
    })
    const asked = this.#holdfast.lock('holdfast:health').isLocked()
    const trouble = asked.then(() => undefined, reasonOf)
    const reason = await Promise.race([trouble, late])
    clearTimeout(timer)
    return { [key]: reason === undefined ? { status: 'up' } : { status: 'down', reason } }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof StoreError) return error.reason
  return error instanceof ClosedError ? 'closed' : 'unknown'
}
