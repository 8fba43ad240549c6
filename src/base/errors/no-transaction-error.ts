import { HoldfastError, quoted } from './holdfast-error.js'

/** The call wanted a lock for a transaction, on a connection that has none open: the database would have given the lock back at once. */
export class NoTransactionError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'NoTransactionError'

  constructor(lockName: string, cause?: unknown) {
    super(
      'NO_TRANSACTION',
      `Lock ${quoted(lockName)} was to go with a transaction, and this connection has none open. Start one (BEGIN, beginTransaction(), ` +
        'sql.begin()) on this same connection and await it before; a pool gives each statement any connection.',
      { lockName, cause },
    )
  }
}
