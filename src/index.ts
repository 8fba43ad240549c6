export { DeadlockError, type DeadlockLink, type LockRole } from './base/errors/deadlock-error.js'
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
} from './base/errors/errors.js'
export { NoTransactionError } from './base/errors/no-transaction-error.js'
export { NotReentrantError } from './base/errors/not-reentrant-error.js'
export { PermitNotHeldError } from './base/errors/permit-not-held-error.js'
export { SequencerError, StaleSequencerError } from './base/errors/sequencer-error.js'
export { StaleFenceError } from './base/errors/stale-fence-error.js'
export { UnstorableValueError } from './base/errors/unstorable-value-error.js'
export { UnsupportedKindError } from './base/errors/unsupported-kind-error.js'
export { LockUpgradeError } from './base/errors/upgrade-error.js'
export { labelOf } from './base/identity/label.js'
export type { Owner } from './base/identity/owner.js'
export type { Clock, Timer } from './base/time/clock.js'
export type { ClientOptions } from './client/client-options.js'
export type { CloseOptions } from './client/closing.js'
export type { HoldfastOptions, OnDeadlock } from './client/holdfast-options.js'
export type { Census, LockClient } from './client/lock-client.js'
export { Holdfast } from './holdfast.js'
export { currentHold } from './integrations/decorators/current-hold.js'
export type { LockName } from './integrations/decorators/lock-name.js'
export { locked } from './integrations/decorators/locked.js'
export { type HttpAnswer, httpAnswer } from './integrations/http/http-answer.js'
export type { Section } from './kinds/acquiring/section.js'
export type { AwaitOptions, CountDownLatch } from './kinds/count-down-latch.js'
export type { Fence } from './kinds/fencing/fence.js'
export { FenceGuard } from './kinds/fencing/fence-guard.js'
export type { GuardedValue } from './kinds/fencing/guarded-value.js'
export type { Sequencer, SequencerMode } from './kinds/fencing/sequencer.js'
export type { Hold } from './kinds/hold.js'
export type { Lock } from './kinds/lock.js'
export type { MultiHold } from './kinds/multi-hold.js'
export type { MultiLock, MultiSection } from './kinds/multi-lock.js'
export type { LockOptions } from './kinds/options/lock-options.js'
export type { AcquireOptions, AdoptOptions, OnLost, UnlockOptions } from './kinds/options/options.js'
export type { PermitsOptions } from './kinds/options/permits-options.js'
export type { SpinOptions } from './kinds/options/spin-options.js'
export type {
  PermitExpirableSemaphore,
  PermitsHold,
  PermitsSection,
} from './kinds/permit-expirable-semaphore.js'
export type { Permits } from './kinds/permits.js'
export type { ReadWriteLock } from './kinds/read-write-lock.js'
export type { Semaphore } from './kinds/semaphore.js'
export type { StripedLock, StripeHold, StripeSection } from './kinds/striped-lock.js'
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
} from './observe/events/events.js'
export type { HistogramSnapshot } from './observe/metrics/histogram.js'
export type { HoldfastMetrics } from './observe/metrics/metrics.js'
export type { AcquireOutcome, AcquireTrace } from './observe/trace/acquire.js'
export type { HoldTrace } from './observe/trace/hold.js'
export type { ReleaseTrace } from './observe/trace/release.js'
export type { Guarded } from './port/kind-ports.js'
export type { LockState, OwnerState } from './port/lock-port.js'
export type { SqlConnection } from './port/sql-connection.js'
export type { Store } from './port/store.js'
export type { StoreKind, StoreTraits } from './port/store-traits.js'
export type { Compute } from './recipes/compute-once/compute-once.js'
export type { ComputeOnceOptions } from './recipes/compute-once/compute-once-options.js'
export type { JobOutcome } from './recipes/job/job.js'
export type { JobOptions } from './recipes/job/job-options.js'
export type { Election } from './recipes/leader/election.js'
export type { LeaderOptions } from './recipes/leader/leader-options.js'
export type { LeaderState } from './recipes/leader/observation.js'
export type { Term, TermEnd } from './recipes/leader/term.js'
export { type QuorumOptions, quorum } from './stores/quorum/quorum.js'
export type {
  ClusterClient,
  Connectable,
  RedisClient,
  StandaloneClient,
} from './stores/redis/connection/client.js'
