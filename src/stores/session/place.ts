import type { Owner } from '../../base/identity/owner.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { News } from '../../port/lock-port.js'
import type { EntryWatch, Mode } from './line.js'
import type { LockName } from './lock-name.js'

/** As what an owner stands in the line of a lock. */
export interface Standing {
  readonly lock: LockName
  readonly mode: Mode
  readonly owner: Owner
}

/** What this client has in the line of one lock: an entry, and what is known of it. */
export class Place implements Standing {
  readonly lock: LockName
  readonly mode: Mode
  /** Whose it is now; its key names who it was made for. */
  owner: Owner
  /** How many holds it is for; 0 while it waits. */
  holds = 0
  /** Whether it is known to have the lock. */
  admitted = false
  /** Whether its call waits in line. */
  joined = false
  /** By which session it was put in line. */
  session: string | undefined
  order = 0n
  fence: bigint | undefined
  /** The order of the write within which it reads. */
  within: bigint | undefined
  /** Whether its entry has a lease of its own, and so outlives the session. */
  leased = false
  /** When its lease ends, which the client sees to. */
  endsAt = Infinity
  alarm: TimerHandle | undefined
  /** What keeps it out, and whether nothing else did when the watch began. */
  blocker:
    | { readonly key: string; readonly order: bigint; readonly last: boolean; readonly watch: EntryWatch }
    | undefined
  /** Whether it is being taken out: that it goes is no news. */
  leaving = false

  constructor(
    { lock, mode, owner }: Standing,
    readonly key: string,
    /** Tells the calls that wait by it. */
    readonly tell: (news: News) => void,
  ) {
    this.lock = lock
    this.mode = mode
    this.owner = owner
  }

  stopWaiting(): void {
    this.blocker?.watch.close()
    this.blocker = undefined
  }
}
