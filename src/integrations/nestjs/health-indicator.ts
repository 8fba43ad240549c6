import { whole } from '../../base/checks/checks.js'
import { ClosedError, StoreError } from '../../base/errors/errors.js'
import { withinMs } from '../../base/time/with-deadline.js'
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
    const asked = this.#holdfast.lock('holdfast:health').isLocked()
    const answer = asked.then((): HoldfastHealth[string] => ({ status: 'up' }), down)
    return { [key]: (await withinMs(timeoutMs, answer)) ?? { status: 'down', reason: 'timeout' } }
  }
}

function down(error: unknown): HoldfastHealth[string] {
  if (error instanceof StoreError) return { status: 'down', reason: error.reason }
  return { status: 'down', reason: error instanceof ClosedError ? 'closed' : 'unknown' }
}
