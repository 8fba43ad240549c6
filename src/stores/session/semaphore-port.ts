import type { Owner } from '../../base/identity/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import type { RowClient } from '../rows/row-client.js'
import { RowSemaphorePort } from '../rows/semaphore-port.js'
import { CellWaits } from './cell-waits.js'
import type { Cells } from './cells.js'
import { ownerOf } from './key.js'
import type { Place, Standing } from './place.js'
import type { Places } from './places.js'

/**
 * Semaphores on a server with sessions. A row says how many permits there are and who has taken how many; what an owner has taken
 * counts as long as its entry stands in the semaphore's line, so that it comes back with its lease or its session.
 */
export class SessionSemaphorePort extends RowSemaphorePort {
  readonly #waits: CellWaits

  constructor(
    client: RowClient,
    private readonly places: Places,
    cells: Cells,
  ) {
    super(client)
    this.#waits = new CellWaits(places, cells, 'semaphore')
  }

  override get polls(): undefined {
    return undefined
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, permits = 1 } = request
    // Who waits asks again and again, mostly in vain.
    if (this.#waits.has(name) && !places.find(this.#standing(name, owner))) {
      const found = await this.look(name, (semaphore) => ({
        enough: semaphore.available >= permits,
        takers: Object.keys(semaphore.taken),
      }))
      if (!found.enough) return await this.#busy(request, found.takers)
    }
    for (;;) {
      const place = await this.#stand(name, owner)
      const { reply, takers } = await this.change(name, (semaphore) => ({
        reply: this.take(semaphore, { ...request, leaseMs: Infinity }),
        takers: Object.keys(semaphore.taken),
      }))
      if (reply.outcome !== 'granted') {
        await places.leave(place)
        return await this.#busy(request, takers)
      }
      const granted = await places.take(place, request.leaseMs)
      // Who waits behind it has to look once, to hear of those who leave.
      if (granted) return { ...reply, ...granted, ...(reply.room === 0 && { fullForMs: 0 }) }
    }
  }

  override async abandon({ name, owner }: AcquireRequest): Promise<void> {
    const place = this.places.find(this.#standing(name, owner))
    if (place) await this.places.leave(place)
  }

  /** The row need not hear of it: without its entry nothing is taken. */
  override async release({ name, owner, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.places.find(this.#standing(name, owner))
    const existed = place !== undefined && place.holds > 0 && (await this.places.leave(place))
    return existed || repeated ? 'released' : 'not-owner'
  }

  override renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs }) => this.places.renew(this.#standing(name, owner), leaseMs))
  }

  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#waits.watch(name, onNews)
  }

  override async countWatchers(name: string): Promise<number> {
    return await this.#waits.count(name)
  }

  override async forceUnlock(name: string): Promise<boolean> {
    const { lock } = this.#standing(name, `${this.client.id}:0`)
    const takers = new Set<string>(await this.look(name, ({ taken }) => Object.keys(taken)))
    const line = await this.places.link.read(lock)
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

  /** Each owner stands for itself in the line. */
  protected override clientOfTaker(taker: string): string {
    return taker
  }

  async #stand(name: string, owner: Owner): Promise<Place> {
    const { places } = this
    const standing = this.#standing(name, owner)
    const place = places.find(standing) ?? places.open(standing, () => undefined)
    place.joined = true
    if (!place.admitted) await places.stand(place)
    return place
  }

  async #busy({ name, waits }: AcquireRequest, takers: readonly string[]): Promise<AcquireReply> {
    const line = waits ? await this.#waits.show(name) : undefined
    if (line) this.#waits.behind(name, line, takers)
    const before = line?.filter(({ key }) => takers.includes(ownerOf(key))) ?? []
    const remainingMs = Math.min(Infinity, ...before.map((entry) => entry.remainingMs))
    return { outcome: 'busy', remainingMs, holder: undefined }
  }

  #standing(name: string, owner: Owner): Standing {
    return { lock: { keyspace: 'semaphore', name }, mode: 'read', owner }
  }
}
