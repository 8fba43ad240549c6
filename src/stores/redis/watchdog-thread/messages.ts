import type { Owner } from '../../../base/identity/owner.js'
import type { LeaseKind } from '../renewals/lease-renewals.js'
import type { ClientSettings, CopiedCredentials } from './client-settings.js'
import type { Instant } from './instant.js'
import type { NetworkDefaults } from './network-defaults.js'
import type { ToldFailure } from './told-failure.js'

/** The thread's start values. */
export interface ThreadSettings {
  readonly client: ClientSettings
  readonly network: NetworkDefaults
  /** The lease that each renewal sets; renewed every third of it. */
  readonly leaseMs: number
  /** How much longer than its lease the store keeps a lock. */
  readonly quarantineMs: number
  readonly commandTimeoutMs: number
  /** A main thread without a sign of life for longer keeps no lock. */
  readonly maxBlockedMs: number
  readonly heartbeat: SharedArrayBuffer
}

/** When a lease ends unless renewed, and until when the thread renews it. */
export interface Terms {
  readonly deadline: Instant
  readonly renewUntil: Instant
}

/** What the main thread asks for. Orders travel in lists, and the thread keeps their order. */
export type Order =
  | (Terms & {
      readonly kind: 'watch'
      readonly id: number
      /** Where the thread writes its deadlines. */
      readonly memory: SharedArrayBuffer
      readonly of: LeaseKind
      readonly name: string
      readonly owner: Owner
    })
  /** The main thread has renewed it itself, or needs it for longer or shorter. */
  | (Terms & { readonly kind: 'update'; readonly id: number })
  | { readonly kind: 'unwatch'; readonly id: number }
  /** The new credentials of the application's client. */
  | { readonly kind: 'credentials'; readonly credentials: CopiedCredentials }
  /** The main thread is back after more than `maxBlockedMs` without a sign of life. */
  | { readonly kind: 'awake' }

/** From the thread, after it has written the deadlines in shared memory. */
export type Report =
  | { readonly kind: 'renewed'; readonly ids: readonly number[] }
  /** The first failure of a run of failures. */
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ToldFailure }
  | { readonly kind: 'lost'; readonly id: number }
  /** A failure that belongs to no lease. */
  | { readonly kind: 'trouble'; readonly failure: ToldFailure }
