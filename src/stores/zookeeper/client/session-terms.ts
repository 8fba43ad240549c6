import type { ConnectionOptions } from 'node:tls'
import type { Schedule } from '../../../base/time/schedule.js'
import type { Rota } from './address.js'

/** Which servers, and who asks. */
export interface SessionTerms {
  readonly rota: Rota
  readonly tls: ConnectionOptions | undefined
  /** Such as `user:password` for the scheme `digest`. */
  readonly identity: { readonly scheme: string; readonly auth: string } | undefined
  readonly schedule: Schedule
  /** Every request settles within this time. */
  readonly commandTimeoutMs: number
  /** The connection is gone, the session perhaps not. */
  readonly onSuspended: (cause: Error) => void
  /** The server has ended the session, with all that ends with it. */
  readonly onExpired: (session: { readonly id: bigint }, cause: Error) => void
}
