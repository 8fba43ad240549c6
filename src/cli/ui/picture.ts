import type { Entry } from './journal.js'
import type { Row } from './row.js'

/** What a page is about: the locks whose names match, or all locks of one name. */
export type Subject =
  | { readonly filter: string; readonly name?: never }
  | { readonly name: string; readonly filter?: never }

/** What a page shows at one time. */
export interface Picture {
  readonly rows: readonly Row[]
  /** So many more locks there are than rows. */
  readonly hidden: number
  /** Whether all were found; until then there may be more. */
  readonly isAll: boolean
  /** So many found locks cannot be read. */
  readonly unreadable: number
  /** Why the store was not looked at, in words. */
  readonly trouble: string | null
  /** Deadlocks: of each the sentences that say who holds what and waits for what. */
  readonly deadlocks: ReadonlyArray<readonly string[]>
  /** Those since the last picture. */
  readonly changes: readonly Entry[]
}

/** Where pages get their pictures from. */
export interface Pictures {
  /** How many pages are open. */
  readonly pages: number
  /** Each time something has been looked at, with the changes after that number, until the signal aborts. */
  pictures(subject: Subject, after: number, signal: AbortSignal): AsyncIterable<Picture>
}

/** What a page receives. */
export interface Message extends Picture {
  /** The program's clock, in which ends of leases are given. */
  readonly nowMs: number
  /** The server's name, without credentials. */
  readonly server: string
  readonly mayUnlock: boolean
}
