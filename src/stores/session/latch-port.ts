import type { AcquireReply, AcquireRequest, News, Watch } from '../../port/lock-port.js'
import { clientOf } from '../line/place.js'
import { RowLatchPort } from '../rows/latch-port.js'
import type { RowClient } from '../rows/row-client.js'
import type { CellWatch } from './cells.js'
import { ownerOf } from './key.js'
import type { LockName } from './lock-name.js'
import type { Place } from './place.js'
import type { Places } from './places.js'

/** One client's wait for one latch. */
interface Waiting {
  readonly listeners: Set<(news?: News) => void>
  readonly cell: CellWatch
  inForce: boolean
  /** The entry that shows others that this client waits. */
  place: Place | undefined
}

/** Count-down latches on a server with sessions: a row each, which those who wait watch. */
export class SessionLatchPort extends RowLatchPort {
  readonly #waiting = new Map<string, Waiting>()

  constructor(
    client: RowClient,
    private readonly places: Places,
  ) {
    super(client)
  }

  override get polls(): undefined {
    return undefined
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const reply = await super.acquire(request)
    if (reply.outcome === 'busy' && request.waits) await this.#show(request.name)
    return reply
  }

  override watch(name: string, onNews: (news?: News) => void): Watch {
    const waiting = this.#waiting.get(name) ?? this.#begin(name)
    // One function may watch twice: each watch counts for itself.
    const own = (news?: News): void => onNews(news)
    waiting.listeners.add(own)
    return {
      confirmed: waiting.cell.confirmed,
      get inForce() {
        return waiting.inForce
      },
      close: () => {
        waiting.listeners.delete(own)
        if (waiting.listeners.size === 0) this.#end(name, waiting)
      },
    }
  }

  override async countWatchers(name: string): Promise<number> {
    const line = await this.places.link.read(latchOf(name))
    return new Set(line.map(({ key }) => clientOf(ownerOf(key)))).size
  }

  /** Shows others that this client waits, as long as somebody watches. */
  async #show(name: string): Promise<void> {
    const waiting = this.#waiting.get(name)
    if (!waiting || waiting.place) return
    // A client itself is the owner of nothing.
    const owner = `${this.places.settings.clientId}:0` as const
    const itself = { lock: latchOf(name), mode: 'read', owner } as const
    // The session of this place has ended: the next place shows who asks now.
    const place = this.places.open(itself, () => {
      waiting.place = undefined
      tell(waiting)
    })
    place.joined = true
    waiting.place = place
    try {
      await this.places.stand(place)
    } catch (error) {
      if (waiting.place === place) waiting.place = undefined
      this.#leave(place)
      throw error
    } finally {
      if (this.#waiting.get(name) !== waiting) this.#leave(place)
    }
  }

  #begin(name: string): Waiting {
    const listeners: Waiting['listeners'] = new Set()
    const cell = this.places.link.cells.watch({ space: 'latch', name }, () => tell({ listeners }))
    const waiting: Waiting = { listeners, cell, inForce: false, place: undefined }
    cell.confirmed.then(
      () => {
        waiting.inForce = true
      },
      () => undefined,
    )
    this.#waiting.set(name, waiting)
    return waiting
  }

  #end(name: string, waiting: Waiting): void {
    if (this.#waiting.get(name) !== waiting) return
    this.#waiting.delete(name)
    waiting.cell.close()
    if (waiting.place?.admitted) this.#leave(waiting.place)
  }

  #leave(place: Place): void {
    if (!place.leaving) void this.places.drop(place)
  }
}

function latchOf(name: string): LockName {
  return { keyspace: 'latch', name }
}

function tell({ listeners }: Pick<Waiting, 'listeners'>): void {
  for (const listener of [...listeners]) listener()
}
