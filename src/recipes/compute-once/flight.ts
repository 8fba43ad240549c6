import type { Scope } from '../../base/identity/owner.js'
import type { CachedValue } from './cached-value.js'

/** The request for one key that is in flight in this process. Other calls for the key wait for its result. */
export class Flight {
  /** The scope in which the value is computed; absent until the computation begins. */
  scope: Scope | undefined
  /**
   * Since when at least the store was silent (then without an `error`) or failed for the moment, where it ended without a value for that: the
   * calls that wait for it need not begin anew.
   */
  failure: { readonly error: unknown; readonly since: number } | undefined
  /** What the computation threw, if it did: all calls that wait for it throw that. */
  thrown: { readonly error: unknown } | undefined
  /** What its leader finds in the store at first: a call may accept a value that the leader does not. Never rejects. */
  found: Promise<CachedValue | undefined> = Promise.resolve(undefined)
  #settle: ((result: CachedValue | undefined) => void) | undefined
  /** Undefined when the flight ended without a value. Never rejects. */
  readonly result = new Promise<CachedValue | undefined>((resolve) => {
    this.#settle = resolve
  })

  /** Only the first call counts. */
  settle(result: CachedValue | undefined): void {
    this.#settle?.(result)
  }
}
