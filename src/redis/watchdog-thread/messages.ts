import type { Owner } from '../../identity/owner.js'
import type { ClientSettings } from './client-settings.js'
import type { Instant } from './instant.js'
import type { LeaseKind } from './lease-kinds.js'
import type { NetworkDefaults } from './network-defaults.js'
import type { ToldFailure } from './told-failure.js'

/** What the thread is started with. */
export interface ThreadSettings {
  readonly client: ClientSettings
  readonly network: NetworkDefaults
  /** The lease that each renewal sets; renewed every third of it. */
  readonly leaseMs: number
  /** How much longer the store keeps what is not renewed. */
  readonly quarantineMs: number
  readonly commandTimeoutMs: number
  /** A main thread that has not been seen for longer keeps nothing. */
  readonly maxBlockedMs: number
  readonly heartbeat: SharedArrayBuffer
}

/** From the main thread. Sent in lists, which are carried out in order. */
export type Order =
  | { readonly kind: 'add-memory'; readonly chunk: SharedArrayBuffer }
  | {
      readonly kind: 'watch'
      readonly id: number
      /** Where its deadline is to be written. */
      readonly slot: number
      readonly of: LeaseKind
      readonly name: string
      readonly owner: Owner
      readonly deadline: Instant
      readonly renewUntil: Instant
    }
  /** The main thread has renewed it itself, or wants it renewed for longer or shorter. */
  | {
      readonly kind: 'update'
      readonly id: number
      readonly deadline: Instant
      readonly renewUntil: Instant
    }
  | { readonly kind: 'unwatch'; readonly id: number }
  /** The main thread is back after it had not been seen for longer than `maxBlockedMs`. */
  | { readonly kind: 'awake' }

/** From the thread, when the deadlines in shared memory have been written. */
export type Report =
  | { readonly kind: 'renewed'; readonly ids: readonly number[] }
  /** The first failure of a run of failures. */
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ToldFailure }
  | { readonly kind: 'lost'; readonly id: number }
  /** Nothing will be written to these slots any more. */
  | { readonly kind: 'vacated'; readonly slots: readonly number[] }
  /** Trouble that belongs to no lease. */
  | { readonly kind: 'trouble'; readonly failure: ToldFailure }
