import { StoreError } from '../base/errors/errors.js'
import type { LockView } from './lock-view.js'

/** What a server has of locks, for operators. */
export interface Catalogue {
  /**
   * All locks of a name, at least one: a lock and a read-write lock of one name, for example, are two locks. If there is none, a free
   * lock of unknown kind.
   */
  look(name: string): Promise<readonly LockView[]>
  /** The same for many names, for who looks again and again; `seen` hears of each, with why it could not be read if so. */
  lookAtAll(names: readonly string[], pace: Pace, seen: Seen): Promise<void>
  /** All locks with a matching name that are held now; `pace` says when the next commands may go. */
  held(pattern: string, pace?: Pace): Listing
  /** Whether a number of permits was ever set for that name; asked where none are available. */
  hasPermits(name: string): Promise<boolean>
}

/** Settles when so many commands may be sent. */
export type Pace = (commands: number) => Promise<void>

/** Hears of the locks of a name, or why they could not be read. */
export type Seen = (name: string, found: readonly LockView[] | StoreError) => void

/** What a look at one lock takes, and how many are looked at together. */
const LOOK_COMMANDS = 10
const TOGETHER = 10

/** Looks at one name after the other, some of them together. */
export async function lookAtEach(
  catalogue: Pick<Catalogue, 'look'>,
  names: readonly string[],
  pace: Pace,
  seen: Seen,
): Promise<void> {
  for (let from = 0; from < names.length; from += TOGETHER) {
    const some = names.slice(from, from + TOGETHER)
    await pace(LOOK_COMMANDS * some.length)
    await Promise.all(
      some.map(async (name) => {
        const found = await catalogue.look(name).catch(unlessTransient)
        seen(name, found)
      }),
    )
  }
}

/** What holds for one lock alone. */
function unlessTransient(error: unknown): StoreError {
  if (error instanceof StoreError && !error.transient) return error
  throw error
}

/** For whoever waits for the answer. */
export const atOnce: Pace = async () => undefined

export interface Listing extends AsyncIterable<LockView> {
  /** The number of found locks that cannot be read: by this user, or because something else is beside them. Final when the end was reached. */
  readonly unreadable: number
}
