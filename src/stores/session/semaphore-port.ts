import type { Owner } from '../../base/identity/owner.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
import { clientOf } from '../line/place.js'
import { matchesGlob } from '../rows/glob.js'
import type { RowClient } from '../rows/row-client.js'
import { RowSemaphorePort } from '../rows/semaphore-port.js'
import type { CellWatch } from './cells.js'
import { ownerOf } from './key.js'
import type { Standing } from './place.js'
import type { Places, Seen } from './places.js'
import { takersIn } from './turns.js'

/** So long the cell of a semaphore is watched when nobody waits any more: who takes permits again and again joins with its first request. */
const LINGER_MS = 200

/** What one client hears of one semaphore. */
interface Heard {
  readonly cell: CellWatch
  readonly listeners: Set<(news?: News) => void>
  inForce: boolean
  lingering: TimerHandle | undefined
}

/**
 * Semaphores on a server with sessions: a cell says how many permits there are, and those that came first in the line have them, as far as they
 * go. So what somebody has taken comes back with its entry, and is the next one's in line.
 */
export class SessionSemaphorePort extends RowSemaphorePort {
  readonly #heard = new Map<string, Heard>()

  constructor(
    client: RowClient,
    private readonly places: Places,
  ) {
    super(client)
  }

  override get polls(): undefined {
    return undefined
  }

  override get line(): StoreLine {
    const { watchdogLeaseMs: placeMs } = this.places.settings
    return { placeMs, hears: (name) => this.#heard.get(name)?.inForce === true }
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, permits = 1 } = request
    const standing = { ...this.#standing(name, owner), permits }
    // Who does not wait stands in nobody's way where there is nothing to have.
    if (!request.waits && !places.find(standing)) {
      const seen = await places.beside(standing.lock)
      if (permits > roomIn(seen)) return busyIn(seen)
    }
    for (;;) {
      const place = places.find(standing) ?? places.open(standing, (news) => this.#tell(name, news))
      place.joined ||= request.waits === true
      const seen = place.admitted ? undefined : await places.stand(place)
      if (seen && !place.admitted) return busyIn(seen)
      const granted = await places.take(place, request.leaseMs)
      if (granted) return granted
    }
  }

  override async abandon({ name, owner }: AcquireRequest): Promise<void> {
    const place = this.places.find(this.#standing(name, owner))
    if (place) await this.places.leave(place)
  }

  override async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.places.find(this.#standing(name, owner))
    const existed = place !== undefined && place.holds > 0 && (await this.places.leave(place))
    return existed || repeated ? 'released' : 'not-owner'
  }

  override renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs }) => this.places.renew(this.#standing(name, owner), leaseMs))
  }

  /** Places are told of what goes before them; of how many permits there are the cell tells. */
  override watch(name: string, onNews: (news?: News) => void): Watch {
    const { schedule } = this.places.settings
    const heard = this.#heard.get(name) ?? this.#hear(name)
    // One function may watch twice: each watch counts for itself.
    const own = (news?: News): void => onNews(news)
    heard.listeners.add(own)
    schedule.cancel(heard.lingering)
    heard.lingering = undefined
    return {
      confirmed: heard.cell.confirmed,
      get inForce() {
        return heard.inForce
      },
      close: () => {
        if (!heard.listeners.delete(own) || heard.listeners.size > 0) return
        heard.lingering = schedule.at(schedule.clock.now() + LINGER_MS, () => this.#unhear(name, heard))
      },
    }
  }

  override async countWatchers(name: string): Promise<number> {
    const [line, takers] = await this.#read(name)
    const waiting = line.map(({ key }) => ownerOf(key)).filter((owner) => !takers.has(owner))
    return new Set(waiting.map(clientOf)).size
  }

  override async forceUnlock(name: string): Promise<boolean> {
    const [line, takers] = await this.#read(name)
    const { lock } = this.#standing(name, `${this.client.id}:0`)
    const mine = line.filter(({ key }) => takers.has(ownerOf(key)))
    const removed = await Promise.all(mine.map(({ key }) => this.places.oust(lock, key)))
    return removed.includes(true)
  }

  override async *list(pattern: string): AsyncIterable<LockState> {
    for await (const name of this.places.link.names('semaphore')) {
      if (!matchesGlob(pattern, name)) continue
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  /** The line, and whom its row says to have permits. */
  async #read(name: string): Promise<readonly [line: Seen['line'], takers: ReadonlySet<string>]> {
    const takers = new Set(await this.look(name, ({ taken }) => Object.keys(taken)))
    return [await this.places.link.read(this.#standing(name, `${this.client.id}:0`).lock), takers]
  }

  #standing(name: string, owner: Owner): Standing {
    return { lock: { keyspace: 'semaphore', name }, mode: 'read', owner }
  }

  #hear(name: string): Heard {
    const { lock } = this.#standing(name, `${this.client.id}:0`)
    const cell = this.places.link.cells.watch({ space: 'semaphore', name }, () =>
      this.places.permitsChanged(lock),
    )
    const heard: Heard = { cell, listeners: new Set(), inForce: false, lingering: undefined }
    this.#heard.set(name, heard)
    cell.confirmed.then(
      () => {
        heard.inForce = true
      },
      () => this.#unhear(name, heard),
    )
    return heard
  }

  #unhear(name: string, heard: Heard): void {
    heard.inForce = false
    heard.cell.close()
    this.places.settings.schedule.cancel(heard.lingering)
    if (this.#heard.get(name) === heard) this.#heard.delete(name)
  }

  #tell(name: string, news: News): void {
    for (const hear of [...(this.#heard.get(name)?.listeners ?? [])]) hear(news)
  }
}

/** How many permits nobody in line wants. */
function roomIn({ line, permits = 0 }: Seen): number {
  return line.reduce((left, entry) => left - (entry.permits ?? 1), permits)
}

/** How long it takes until the first of those that have permits has to give them back. */
function busyIn({ line, permits = 0 }: Seen): AcquireReply {
  const ends = takersIn(line, permits).map(({ remainingMs }) => remainingMs)
  return { outcome: 'busy', remainingMs: Math.min(Infinity, ...ends), holder: undefined }
}
