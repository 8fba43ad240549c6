export type { Clock, Timer } from './core/clock.js'
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
} from './errors.js'
export type {
  AcquiredEvent,
  HoldfastEvents,
  LostEvent,
  ReleasedEvent,
  RenewedEvent,
  SuspendedEvent,
  WaitingEvent,
  WarningEvent,
} from './events.js'
export type { Hold } from './hold.js'
export { type Census, Holdfast } from './holdfast.js'
export type { Lock } from './lock.js'
export type { HistogramSnapshot } from './metrics/histogram.js'
export type { HoldfastMetrics } from './metrics/metrics.js'
export type { AcquireOptions, HoldfastOptions, OnLost, UnlockOptions } from './options.js'
export type { Owner } from './owner.js'
export type { ClusterClient, Connectable, RedisClient, StandaloneClient } from './redis/client.js'
export type { Section } from './section.js'
export type { SpinOptions } from './spin.js'
export type { LockState, Store } from './store.js'
export type { AcquireTrace } from './trace/acquire.js'
export type { HoldTrace } from './trace/hold.js'
export type { AcquireOutcome } from './trace/outcome.js'
export type { ReleaseTrace } from './trace/release.js'
