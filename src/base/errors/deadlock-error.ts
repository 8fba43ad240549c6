import { ownerText } from '../identity/label.js'
import type { Owner } from '../identity/owner.js'
import { HoldfastError, quoted } from './holdfast-error.js'

/** A lock, and the way in which it is held or waited for. */
export interface LockRole {
  readonly kind: 'lock' | 'read lock' | 'write lock'
  readonly name: string
}

/** One of those that wait for each other. */
export interface DeadlockLink {
  readonly owner: Owner
  /** Its client's label. */
  readonly label: string | undefined
  /** What it holds: the previous one waits for that. */
  readonly holds: LockRole
  /** What it waits for: the next one holds that, behind the last one the first. */
  readonly waitsFor: LockRole
  /** Since when it waits, in milliseconds since 1970 by the store's clock. */
  readonly waitsSince: number
  /** The stack of the call that took what it holds, and of the one that waits; with the `diagnostics` option of its client. */
  readonly takenAt: string | undefined
  readonly waitsAt: string | undefined
}

/**
 * This wait ended because of a deadlock. Nothing was taken.
 *
 * With `cycle`: owners that hold locks wait for each other's, and this call was the one to give way (`onDeadlock: 'reject'`). The others go
 * on when this owner's section ends and gives back what it holds.
 *
 * Without: two transactions of a database waited for each other. MySQL and MariaDB have rolled the whole transaction back; in PostgreSQL it
 * goes on, but still holds what the other one waits for. Either way: roll back, and run the whole transaction again.
 */
export class DeadlockError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'DeadlockError'

  /** Those that waited for each other, each for the next; undefined where the database does not tell. */
  readonly cycle: readonly DeadlockLink[] | undefined

  constructor(lockName: string, cause: unknown, cycle?: readonly DeadlockLink[]) {
    super('DEADLOCK', cycle ? textOf(lockName, cycle) : transactionText(lockName), { lockName, cause })
    this.cycle = cycle
  }
}

function textOf(lockName: string, cycle: readonly DeadlockLink[]): string {
  const links = cycle.map(
    ({ owner, holds, waitsFor }) =>
      `${ownerText(owner)} holds ${quoted(holds.name)} and waits for ${quoted(waitsFor.name)}`,
  )
  return (
    `The wait for lock ${quoted(lockName)} ended in a deadlock: ${links.join('; ')}. Let the section end, and run it again; ` +
    'sections that take their locks in the same order do not deadlock.'
  )
}

function transactionText(lockName: string): string {
  return (
    `The wait for lock ${quoted(lockName)} ended in a deadlock with another transaction. Roll back and run the whole transaction ` +
    'again; transactions that take their locks in the same order do not deadlock.'
  )
}
