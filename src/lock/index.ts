export type { DeadlockLink, LockRole } from '../errors/deadlock-error.js'
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
} from '../errors/errors.js'
export { NoTransactionError } from '../errors/no-transaction-error.js'
export { NotReentrantError } from '../errors/not-reentrant-error.js'
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
} from '../events/events.js'
export type { ClientOptions } from '../facade/client-options.js'
export type { CloseOptions } from '../facade/closing.js'
export type { LockOptions } from '../facade/lock-options.js'
export type { AcquireOptions, AdoptOptions, OnLost, UnlockOptions } from '../facade/options.js'
export type { Section } from '../facade/section.js'
export type { Fence } from '../fence/fence.js'
export { labelOf } from '../identity/label.js'
export type { Owner } from '../identity/owner.js'
export type { Hold } from '../kinds/hold.js'
export type { Lock } from '../kinds/lock.js'
export type { HistogramSnapshot } from '../metrics/histogram.js'
export type { HoldfastMetrics } from '../metrics/metrics.js'
export type { LockState, OwnerState } from '../ports/lock-port.js'
export type { Store } from '../ports/store.js'
export type { ClusterClient, Connectable, RedisClient, StandaloneClient } from '../redis/connection/client.js'
export type { Clock, Timer } from '../time/clock.js'
export type { SqlConnection } from '../transactions/connection.js'
export { type Census, LockClient } from './lock-client.js'
