import { HoldfastError, shorten } from './holdfast-error.js'

/**
 * The database ended this wait because of a deadlock: two transactions waited for each other. Nothing was taken. MySQL and MariaDB have
 * rolled the whole transaction back; in PostgreSQL it goes on, but still holds what the other one waits for. Either way: roll back, and run
 * the whole transaction again.
 */
export class DeadlockError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'DeadlockError'

  constructor(lockName: string, cause: unknown) {
    super(
      'DEADLOCK',
      `The wait for lock "${shorten(lockName)}" ended in a deadlock with another transaction. Roll back and run the whole transaction ` +
        'again; transactions that take their locks in the same order do not deadlock.',
      { lockName, cause },
    )
  }
}
