import type { Owner } from '../identity/owner.js'
import type { TimerHandle } from '../time/schedule.js'
import type { EntryWatch } from './link.js'

/** What this client has in the line of one lock: an entry, and what is known of it. */
export class Place {
  /** How many holds it is for; 0 while it waits. */
  holds = 0
  /** Whether it is known to be the first. */
  first = false
  sequence = 0n
  /** Whether its entry has a lease of its own, and so outlives the session. */
  leased = false
  /** When its lease ends, which the client sees to. */
  endsAt = Infinity
  alarm: TimerHandle | undefined
  /** On its own entry, and on the one before it. */
  own: EntryWatch | undefined
  before: { readonly key: string; readonly watch: EntryWatch } | undefined

  constructor(
    readonly name: string,
    public owner: Owner,
    readonly key: string,
    /** Tells the calls that wait by it. */
    readonly tell: (news: { readonly grantedTo?: Owner; readonly placesGone?: boolean }) => void,
  ) {}

  stopWaiting(): void {
    this.before?.watch.close()
    this.before = undefined
  }

  stopWatching(): void {
    this.stopWaiting()
    this.own?.close()
    this.own = undefined
  }
}
