import { HoldfastError } from './holdfast-error.js'

/** Others changed the row each time between this call's read and its write. The call changed nothing. */
export class VersionConflictError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'VersionConflictError'

  /** The table of the row. */
  readonly table: string
  /** How often the call has tried. */
  readonly attempts: number

  constructor(table: string, attempts: number, snapshot: boolean) {
    super(
      'VERSION_CONFLICT',
      snapshot
        ? `Others changed the row of ${table}, and this transaction cannot see it: it goes on reading what it read first. Roll ` +
            'back and run the whole transaction again, or use READ COMMITTED.'
        : `Others changed the row of ${table} in each of ${attempts} attempts. Try later, raise attempts, or, with so many writers, ` +
            'lock the row first (rowLock).',
    )
    this.table = table
    this.attempts = attempts
  }
}
