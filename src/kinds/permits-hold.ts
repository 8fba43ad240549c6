import { permitIdsOf } from '../base/identity/permit-ids.js'
import type { Section } from './acquiring/section.js'
import type { Hold } from './hold.js'

/** A hold of permits that have an id each. */
export interface PermitsHold extends Hold {
  /** Their ids, in hex: any program that knows an id can return that permit. */
  readonly permitIds: readonly string[]
}

/** The body of a `withPermits` section, for permits with ids. */
export type PermitsSection<Result> = Section<Result, PermitsHold>

export function withPermitIds(hold: Hold, permits: number): PermitsHold {
  return Object.assign(hold, { permitIds: permitIdsOf(hold.owner, permits) })
}
