export { DeadlockError, type DeadlockLink, type LockRole } from '../base/errors/deadlock-error.js'
export {
  HoldfastError,
  type HoldfastErrorDetails,
  InvalidArgumentError,
  LockTimeoutError,
  StoreError,
  type StoreFailure,
} from '../base/errors/errors.js'
export { NoTransactionError } from '../base/errors/no-transaction-error.js'
export { VersionConflictError } from '../base/errors/version-conflict-error.js'
export type { Owner } from '../base/identity/owner.js'
export type { Row, SqlConnection } from '../port/sql-connection.js'
export type { TransactionLockOptions } from './limits.js'
export { rowLock } from './row-lock.js'
export { type SqlStatement, sql } from './statement.js'
export { mysqlNamesSchema, type SharedLockOptions, transactionLock } from './transaction-lock.js'
export { updateVersioned, type VersionedRow } from './update-versioned.js'
