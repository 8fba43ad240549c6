export type { DeadlockLink, LockRole } from '../base/errors/deadlock-error.js'
export {
  ClosedError,
  HoldfastError,
  type HoldfastErrorDetails,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  type LossReason,
  NoOwnerError,
  NotOwnerError,
  StoreError,
  type StoreFailure,
  TooManyWaitersError,
} from '../base/errors/errors.js'
export { NoTransactionError } from '../base/errors/no-transaction-error.js'
export { NotReentrantError } from '../base/errors/not-reentrant-error.js'
export { labelOf } from '../base/identity/label.js'
export type { Owner } from '../base/identity/owner.js'
export type { Clock, Timer } from '../base/time/clock.js'
export type { Section } from '../kinds/acquiring/section.js'
export type { Fence } from '../kinds/fencing/fence.js'
export type { Hold } from '../kinds/hold.js'
export type { Lock } from '../kinds/lock.js'
export type { LockOptions } from '../kinds/options/lock-options.js'
export type { AcquireOptions, AdoptOptions, OnLost, UnlockOptions } from '../kinds/options/options.js'
export type {
  AcquiredEvent,
  DeadlockEvent,
  HoldfastEvents,
  LostEvent,
  ReleasedEvent,
  RenewedEvent,
  SuspendedEvent,
  WaitingEvent,
  WarningEvent,
} from '../observe/events/events.js'
export type { HistogramSnapshot } from '../observe/metrics/histogram.js'
export type { HoldfastMetrics } from '../observe/metrics/metrics.js'
export type { LockState, OwnerState } from '../port/lock-port.js'
export type { SqlConnection } from '../port/sql-connection.js'
export type { Store } from '../port/store.js'
export type {
  ClusterClient,
  Connectable,
  RedisClient,
  StandaloneClient,
} from '../stores/redis/connection/client.js'
export type { ClientOptions } from './client-options.js'
export type { CloseOptions } from './closing.js'
export { type Census, LockClient } from './lock-client.js'
