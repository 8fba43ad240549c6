import type { LockView } from './lock-view.js'

/** What a server has of locks, for operators. */
export interface Catalogue {
  /**
   * All locks of a name, at least one: a lock and a read-write lock of one name, for example, are two locks. If there is none, a free
   * lock of unknown kind.
   */
  look(name: string): Promise<readonly LockView[]>
  /** All locks with a matching name that are held now; `pace` says when the next commands may go. */
  held(pattern: string, pace?: Pace): Listing
  /** Whether a number of permits was ever set for that name; asked where none are available. */
  hasPermits(name: string): Promise<boolean>
}

/** Settles when so many commands may be sent. */
export type Pace = (commands: number) => Promise<void>

/** For whoever waits for the answer. */
export const atOnce: Pace = async () => undefined

export interface Listing extends AsyncIterable<LockView> {
  /** The number of found locks that cannot be read: by this user, or because something else is beside them. Final when the end was reached. */
  readonly unreadable: number
}
