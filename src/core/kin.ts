import type { Owner, Scope } from '../base/identity/owner.js'
import type { LocalQueue } from './queue/local-queue.js'
import type { HoldRecord, Tenure } from './tenure/tenure.js'

/**
 * What a kind of lock has to know of the other kinds of its client that are one lock with it in the store. They are either the two sides of a
 * read-write lock, on which an owner's holds belong together, or rivals, which never enter each other. A kind that is alone has no kin, and an
 * application that uses it alone does not bundle this.
 */
export interface Kin {
  /** The tenure on the other side within which `caller` runs. */
  around(name: string, caller: Scope): Tenure | undefined
  /** The tenure of a rival in whose section `caller` runs. */
  inRival(name: string, caller: Scope): Tenure | undefined
  /** Whether the store may know that owner by what another kind has asked for: what one counts as its own hold the other would take for a repeated request. */
  uses(name: string, owner: Owner): boolean
  /** A hold was granted here: what stands against it elsewhere is over, what runs within it may enter. */
  granted(grant: HoldRecord): void
  /** What a tenure holds has changed: calls for the other side that run within it need no turn of their own any more. */
  changed(tenure: Tenure): void
  /** Where the calls for the other side wait. */
  otherQueue(name: string): LocalQueue | undefined
  /** The rivals' tenures of that lock. */
  tenuresOf(name: string): readonly Tenure[]
}
