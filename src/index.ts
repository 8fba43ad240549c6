export type { Compute } from './compute-once/compute-once.js'
export type { ComputeOnceOptions } from './compute-once/compute-once-options.js'
export { currentHold } from './decorators/current-hold.js'
export type { LockName } from './decorators/lock-name.js'
export { locked } from './decorators/locked.js'
export { DeadlockError, type DeadlockLink, type LockRole } from './errors/deadlock-error.js'
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
} from './errors/errors.js'
export { NoTransactionError } from './errors/no-transaction-error.js'
export { NotReentrantError } from './errors/not-reentrant-error.js'
export { PermitNotHeldError } from './errors/permit-not-held-error.js'
export { SequencerError, StaleSequencerError } from './errors/sequencer-error.js'
export { StaleFenceError } from './errors/stale-fence-error.js'
export { UnstorableValueError } from './errors/unstorable-value-error.js'
export { UnsupportedKindError } from './errors/unsupported-kind-error.js'
export { LockUpgradeError } from './errors/upgrade-error.js'
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
} from './events/events.js'
export type { ClientOptions } from './facade/client-options.js'
export type { CloseOptions } from './facade/closing.js'
export type { HoldfastOptions, OnDeadlock } from './facade/holdfast-options.js'
export type { LockOptions } from './facade/lock-options.js'
export type { AcquireOptions, AdoptOptions, OnLost, UnlockOptions } from './facade/options.js'
export type { PermitsOptions } from './facade/permits-options.js'
export type { Section } from './facade/section.js'
export type { SpinOptions } from './facade/spin-options.js'
export type { Fence } from './fence/fence.js'
export { FenceGuard } from './fence/fence-guard.js'
export type { GuardedValue } from './fence/guarded-value.js'
export type { Sequencer, SequencerMode } from './fence/sequencer.js'
export { Holdfast } from './holdfast.js'
export { type HttpAnswer, httpAnswer } from './http/http-answer.js'
export { labelOf } from './identity/label.js'
export type { Owner } from './identity/owner.js'
export type { JobOutcome } from './job/job.js'
export type { JobOptions } from './job/job-options.js'
export type { AwaitOptions, CountDownLatch } from './kinds/count-down-latch.js'
export type { Hold } from './kinds/hold.js'
export type { Lock } from './kinds/lock.js'
export type { MultiHold } from './kinds/multi-hold.js'
export type { MultiLock, MultiSection } from './kinds/multi-lock.js'
export type { PermitExpirableSemaphore } from './kinds/permit-expirable-semaphore.js'
export type { Permits } from './kinds/permits.js'
export type { PermitsHold, PermitsSection } from './kinds/permits-hold.js'
export type { ReadWriteLock } from './kinds/read-write-lock.js'
export type { Semaphore } from './kinds/semaphore.js'
export type { StripedLock, StripeHold, StripeSection } from './kinds/striped-lock.js'
export type { Election } from './leader/election.js'
export type { LeaderOptions } from './leader/leader-options.js'
export type { LeaderState } from './leader/observation.js'
export type { Term, TermEnd } from './leader/term.js'
export type { Census, LockClient } from './lock/lock-client.js'
export type { HistogramSnapshot } from './metrics/histogram.js'
export type { HoldfastMetrics } from './metrics/metrics.js'
export type { Guarded } from './ports/guarded-port.js'
export type { LockState, OwnerState } from './ports/lock-port.js'
export type { Store } from './ports/store.js'
export type { StoreKind, StoreTraits } from './ports/store-traits.js'
export { type QuorumOptions, quorum } from './quorum/quorum.js'
export type { ClusterClient, Connectable, RedisClient, StandaloneClient } from './redis/connection/client.js'
export type { Clock, Timer } from './time/clock.js'
export type { AcquireTrace } from './trace/acquire.js'
export type { HoldTrace } from './trace/hold.js'
export type { AcquireOutcome } from './trace/outcome.js'
export type { ReleaseTrace } from './trace/release.js'
export type { SqlConnection } from './transactions/connection.js'
