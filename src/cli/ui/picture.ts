import type { Entry } from './journal.js'
import type { Row } from './row.js'
import type { Totals, Trend } from './totals.js'
import type { Traffic } from './traffic.js'

/** By what a list is sorted: those waited for most first, those held longest first, or by name. */
export const sorts = ['waiting', 'age', 'name'] as const
export type Sort = (typeof sorts)[number]

/** What a page is about: a part of the locks whose names match, or all locks of one name. */
export type Subject = ListSubject | { readonly name: string; readonly filter?: never }

export interface ListSubject {
  readonly filter: string
  readonly sort: Sort
  /** Counted from 0. */
  readonly page: number
  readonly name?: never
}

/** A lock in a drawing of a deadlock. */
export interface Corner {
  readonly kind: string
  readonly name: string
  readonly href: string | null
}

/** Somebody who holds a lock and waits for another one. */
export interface Link {
  readonly who: string
  readonly holds: Corner
  readonly waitsFor: Corner
  /** Since when it waits, in milliseconds since 1970. */
  readonly since: number
  /** The same in a sentence. */
  readonly text: string
}

/** What a page shows at one time. */
export interface Picture {
  readonly rows: readonly Row[]
  /** How many locks there are, and the place of the first row among them. */
  readonly total: number
  readonly from: number
  /** Whether all were found; until then there may be more. */
  readonly isAll: boolean
  /** So many found locks cannot be read. */
  readonly unreadable: number
  /** Why the store was not looked at, in words. */
  readonly trouble: string | null
  /** Of all locks that match; null on the page of one lock. */
  readonly totals: Totals | null
  /** The same over the last minutes. */
  readonly trend: Trend | null
  /** What a client of the application that has mounted the page did meanwhile; null where none was given, and on the page of one lock. */
  readonly traffic: Traffic | null
  readonly deadlocks: ReadonlyArray<readonly Link[]>
  /** Who waits for one of the locks while holding others, who waits for those, and so on. */
  readonly waits: readonly Link[]
  /** Since when changes are known, in milliseconds since 1970. */
  readonly since: number
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
  /** The program's steady clock, in which ends of leases are given. */
  readonly nowMs: number
  /** The program's wall clock, in which beginnings are given. */
  readonly now: number
  /** The server's name, without credentials. */
  readonly server: string
  readonly mayUnlock: boolean
}
