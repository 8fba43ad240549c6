import type { Owner } from '../base/identity/owner.js'
import type { Schedule } from '../base/time/schedule.js'
import type { Events } from '../observe/events/events.js'
import type { Metrics } from '../observe/metrics/metrics.js'
import type { LockPort } from '../port/lock-port.js'
import type { KindTraits } from './queue/local-queue.js'
import type { Waiter } from './queue/waiter.js'
import type { HoldRecord } from './tenure/tenure.js'

/** The settings of a client that its core reads. */
export interface CoreSettings {
  readonly watchdogMs: number
  readonly commandTimeoutMs: number
  readonly storeTimeoutMs: number
  readonly maxWaiters: number
  readonly warnAfterMs: number
  readonly diagnostics: boolean
  readonly maxHandOvers: number
  readonly handOverSliceMs: number
  readonly quarantineMs: number
}

/** What the core of one kind of lock is given by the client that it is part of. */
export interface Services {
  readonly kind: KindTraits
  readonly port: LockPort
  readonly schedule: Schedule
  readonly settings: CoreSettings
  readonly events: Events
  readonly metrics: Metrics
  /** An owner of this client that nobody has used. */
  readonly newOwner: () => Owner
  /** Told once of a hold whose lease has been renewed. Must not keep what its caller has of it. */
  readonly onLasting?: ((grant: HoldRecord, callersHold: object) => void) | undefined
  /** Told of each call that waits: it may be in a deadlock. What it returns is called when the call waits no longer. */
  readonly onWait?: ((waiter: Waiter) => (() => void) | undefined) | undefined
}
