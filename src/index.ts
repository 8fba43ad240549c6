export type { CloseOptions } from './closing.js'
export type { Compute } from './compute-once/compute-once.js'
export type { ComputeOnceOptions } from './compute-once/compute-once-options.js'
export { UnstorableValueError } from './compute-once/unstorable-value-error.js'
export type { Clock, Timer } from './core/clock.js'
export type { AwaitOptions, CountDownLatch } from './count-down-latch.js'
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
export type { Fence } from './fence/fence.js'
export { FenceGuard } from './fence/fence-guard.js'
export type { Guarded } from './fence/guarded-port.js'
export type { GuardedValue } from './fence/guarded-value.js'
export type { Sequencer, SequencerMode } from './fence/sequencer.js'
export { SequencerError, StaleSequencerError } from './fence/sequencer-error.js'
export { StaleFenceError } from './fence/stale-fence-error.js'
export type { Hold } from './hold.js'
export { type Census, Holdfast } from './holdfast.js'
export type { Lock } from './lock.js'
export type { LockFamily } from './lock-family.js'
export type { HistogramSnapshot } from './metrics/histogram.js'
export type { HoldfastMetrics } from './metrics/metrics.js'
export type { MultiHold } from './multi-hold.js'
export type { MultiLock, MultiSection } from './multi-lock.js'
export type { AcquireOptions, HoldfastOptions, OnLost, UnlockOptions } from './options.js'
export type { Owner } from './owner.js'
export type { PermitExpirableSemaphore } from './permit-expirable-semaphore.js'
export { PermitNotHeldError } from './permit-not-held-error.js'
export type { PermitsHold, PermitsSection } from './permits-hold.js'
export type { PermitsOptions } from './permits-options.js'
export { type QuorumOptions, quorum } from './quorum/quorum.js'
export type { ReadWriteLock } from './read-write-lock.js'
export type { ClusterClient, Connectable, RedisClient, StandaloneClient } from './redis/client.js'
export type { Section } from './section.js'
export type { Semaphore } from './semaphore.js'
export type { SpinOptions } from './spin.js'
export type { LockState, Store } from './store.js'
export type { StripedLock, StripeHold, StripeSection } from './striped-lock.js'
export type { AcquireTrace } from './trace/acquire.js'
export type { HoldTrace } from './trace/hold.js'
export type { AcquireOutcome } from './trace/outcome.js'
export type { ReleaseTrace } from './trace/release.js'
export { LockUpgradeError } from './upgrade-error.js'
