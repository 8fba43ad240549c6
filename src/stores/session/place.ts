import type { Owner } from '../../base/identity/owner.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { News } from '../../port/lock-port.js'
import type { EntryWatch, Mode } from './line.js'
import type { LockName } from './lock-name.js'

/** As what an owner stands in the line of a lock. */
export interface Standing {
  readonly lock: LockName
  readonly permits?: number | undefined
  readonly mode: Mode
  readonly owner: Owner
}

export function idOf({ lock, mode, owner }: Standing): string {
  return `${lock.keyspace} ${mode} ${owner} ${lock.name}`
}

/** What this client has in the line of one lock: an entry, and what it knows of it. */
export class Place implements Standing {
  readonly lock: LockName
  readonly mode: Mode
  /** The present owner; the key names the first one. */
  owner: Owner
  /** How many holds it is for; 0 while it waits. */
  holds = 0
  /** Whether it surely has the lock. */
  admitted = false
  /** Whether its call waits in line. */
  joined = false
  /** Whether its client may keep the lock beyond its release. */
  keeps = false
  /** Whether it stood there with nobody else, and of whoever comes since then this client hears. */
  undisturbed = false
  /** By which session it was put in line. */
  session: string | undefined
  order = 0n
  /** Whether the store has confirmed the entry: only then does a later line without the entry mean that it is gone. */
  seen = false
  /** Whether what it waits for changed before that. */
  looksAgain = false
  /** The number of questions about its line, and the one whose answer counts: answers may overtake each other. */
  asked = 0
  answered = 0
  fence: bigint | undefined
  /** The order of the write within which it reads. */
  within: bigint | undefined
  /** How many permits it is for, where there are permits. */
  readonly permits: number | undefined
  /** Whether its entry has a lease of its own, and so outlives the session. */
  leased = false
  /** When the semaphore expires that its permits are of. */
  goneAt = Infinity
  /** When its lease ends, which the client sees to. */
  endsAt = Infinity
  alarm: TimerHandle | undefined
  /** The watches of entries that keep it out, by order. `last`: nothing else kept it out when the watch began. */
  readonly blockers = new Map<bigint, { readonly last: boolean; readonly watch: EntryWatch }>()
  /** Whether this client is removing it: then its end is no news. */
  leaving = false

  constructor(
    { lock, mode, owner, permits }: Standing,
    readonly key: string,
    /** Tells the calls that wait by it. */
    readonly tell: (news: News) => void,
  ) {
    this.lock = lock
    this.mode = mode
    this.owner = owner
    this.permits = permits
  }

  /** For these blockers; else for all. */
  stopWaiting(orders: Iterable<bigint> = this.blockers.keys()): void {
    for (const order of orders) {
      this.blockers.get(order)?.watch.close()
      this.blockers.delete(order)
    }
  }
}
