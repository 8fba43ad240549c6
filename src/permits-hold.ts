import type { Hold } from './hold.js'
import { permitIdsOf } from './permit-ids.js'

/** A hold of permits that have an id each. */
export interface PermitsHold extends Hold {
  /** Their ids, in hex: whoever is told one can give that permit back. */
  readonly permitIds: readonly string[]
}

/** What a section of `withPermits` runs, where permits have ids. */
export type PermitsSection<Result> = (hold: PermitsHold) => Result | PromiseLike<Result>

export function withPermitIds(hold: Hold, permits: number): PermitsHold {
  return Object.assign(hold, { permitIds: permitIdsOf(hold.owner, permits) })
}
