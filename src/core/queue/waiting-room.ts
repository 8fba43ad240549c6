import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import type { LockPort } from '../../port/lock-port.js'
import { Outage } from '../acquire/outage.js'
import type { KindTraits } from '../kind.js'
import type { HeldTenures } from './held-tenures.js'
import type { Policy, QueueParts } from './policy.js'
import { ProcessPlace } from './process-place.js'
import { ReleaseWatch } from './release-watch.js'
import { WaitQueue } from './wait-queue.js'

/** What a client has for all its locks of one kind. */
export interface ClientParts {
  readonly kind: KindTraits
  readonly port: LockPort
  readonly schedule: { readonly clock: Pick<Clock, 'now'> }
}

/** Who has a lock, and until when it is not free. */
export interface Seen {
  readonly holder: Owner | undefined
  /** Since when that owner has it, by the store's clock. */
  readonly heldSince: number | undefined
  readonly until: number
}

/** What the calls of one process for one lock share while they are there: their order, the watch, the place in line, the store's failures. */
export class WaitingRoom implements QueueParts {
  readonly waiters = new WaitQueue()
  readonly policy: Policy
  /** Who had the lock when the store last refused it to a call here. */
  seen: Seen | undefined
  // Calls that get the lock at once need none of them.
  #watch: ReleaseWatch | undefined
  #place: ProcessPlace | undefined
  #outage: Outage | undefined

  constructor(
    private readonly name: string,
    readonly tenures: HeldTenures,
    private readonly client: ClientParts,
  ) {
    this.policy = client.kind.policy(this)
  }

  get clock(): Pick<Clock, 'now'> {
    return this.client.schedule.clock
  }

  get watch(): ReleaseWatch {
    this.#watch ??= new ReleaseWatch(this.name, this.client.port, this)
    return this.#watch
  }

  get place(): ProcessPlace {
    this.#place ??= new ProcessPlace(this.waiters, this.client.port, this.clock)
    return this.#place
  }

  /** The store's failures, as the calls here have met them one after the other: the time of each counts for all. */
  get outage(): Outage {
    this.#outage ??= new Outage()
    return this.#outage
  }

  /** The last call has left. */
  rest(): void {
    this.seen = undefined
    if (this.#watch) this.#watch.end()
    else this.policy.onWatchEnded()
    if (!this.#watch?.unread) this.#watch = undefined
    if (this.#place?.untouched) this.#place = undefined
    if (!this.#outage?.on) this.#outage = undefined
  }

  /** Whether it knows what a new one would not, its policy left aside. */
  get remembers(): boolean {
    return (this.#watch ?? this.#place ?? this.#outage) !== undefined
  }
}
