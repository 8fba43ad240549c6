import type { Owner } from '../../base/identity/owner.js'
import type { SemaphorePort } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import type { RowClient } from '../rows/row-client.js'
import { HeardCells } from './heard-cells.js'
import { clientsIn, ownerOf } from './key.js'
import type { Line } from './line.js'
import {
  goneInMs,
  havingIn,
  lockOf,
  type PermitNumber,
  readBeside,
  type Seen,
  sumOf,
} from './permit-number.js'
import { PermitNumbers } from './permit-numbers.js'
import type { Standing } from './place.js'
import type { Places } from './places.js'
import { permitsOf } from './turns.js'

/** How long the watch of a semaphore's cell outlives its last waiter, so that a client that takes permits again and again joins with its first request. */
const LINGER_MS = 200

/**
 * Semaphores on a server with sessions: a cell says how many permits there are, and those that came first in the line have them, as far as they
 * go. So what somebody has taken comes back with its entry, and is the next one's in line.
 */
export class SessionSemaphorePort extends PermitNumbers implements SemaphorePort {
  readonly watchesInOrder = false
  /** A place is for so many permits as its call wants. */
  readonly placePer = 'call'
  readonly #heard: HeardCells

  constructor(client: RowClient, places: Places) {
    super(client, places)
    const changed = (name: string): void => places.permitsChanged(lockOf(name))
    this.#heard = new HeardCells(places, { space: 'semaphore', lingerMs: LINGER_MS, changed })
  }

  get line(): StoreLine {
    const { watchdogLeaseMs: placeMs } = this.places.settings
    return { placeMs, hears: (name) => this.#heard.inForce(name) }
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, permits = 1 } = request
    const standing = { ...this.#standing(name, owner), permits }
    // A call that does not wait must not stand in others' way when there is nothing for it.
    if (!request.waits && !places.find(standing)) {
      const seen = await readBeside(places.link, standing.lock)
      if (permits > (seen.number.permits ?? 0) - sumOf(seen.line)) return this.#busyIn(seen)
    }
    for (;;) {
      const place = places.find(standing) ?? places.open(standing, (news) => this.#heard.tell(name, news))
      place.joined ||= request.waits === true
      const seen = place.admitted ? undefined : await places.stand(place)
      if (seen && !place.admitted) return this.#busyIn(seen)
      const granted = await places.take(place, request.leaseMs)
      if (granted) return granted
    }
  }

  async abandon({ name, owner }: AcquireRequest): Promise<void> {
    const place = this.places.find(this.#standing(name, owner))
    if (place) await this.places.leave(place)
  }

  /** Each owner has its own permits: there is nothing to hand over. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.places.find(this.#standing(name, owner))
    const existed = place !== undefined && place.holds > 0 && (await this.places.leave(place))
    return existed || repeated ? 'released' : 'not-owner'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    return requests.map(({ name, owner, leaseMs }) => this.places.renew(this.#standing(name, owner), leaseMs))
  }

  /** A place hears of the entries before it; the cell says how many permits there are. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#heard.watch(name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const { having, number } = await this.#look(name)
    const owners = having.map((entry) => ({ owner: ownerOf(entry.key), holds: permitsOf(entry) }))
    return { name, owners, remainingMs: owners.length > 0 ? this.#firstEndMs(having, number) : 0 }
  }

  async countWatchers(name: string): Promise<number> {
    const { line, having } = await this.#look(name)
    return clientsIn(line.filter((entry) => !having.includes(entry)))
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.places.oust(lockOf(name), (await this.#look(name)).having)
  }

  async availablePermits(name: string): Promise<number> {
    const { having, number } = await this.#look(name)
    return number.permits === undefined ? 0 : number.permits - sumOf(having)
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for await (const name of this.places.link.names('semaphore')) {
      if (!matchesGlob(pattern, name)) continue
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  /** The number of permits, and the entries that have some. */
  async #look(name: string): Promise<Required<Seen> & { readonly having: Line }> {
    const seen = await readBeside(this.places.link, lockOf(name))
    return { ...seen, having: havingIn(seen.line, seen.number) }
  }

  #busyIn({ line, number }: Seen): AcquireReply {
    const remainingMs = number ? this.#firstEndMs(havingIn(line, number), number) : Infinity
    return { outcome: 'busy', remainingMs, holder: undefined }
  }

  /** How long it takes until the first of those that have permits has to give them back, or the semaphore expires. */
  #firstEndMs(having: Line, number: PermitNumber): number {
    return Math.min(goneInMs(number, this.places.link), ...having.map(({ remainingMs }) => remainingMs))
  }

  #standing(name: string, owner: Owner): Standing {
    return { lock: lockOf(name), mode: 'read', owner }
  }
}
