import type { News, Watch } from '../../port/lock-port.js'
import { clientOf } from '../line/place.js'
import type { CellWatch } from './cells.js'
import { ownerOf } from './key.js'
import type { LockName } from './lock-name.js'
import type { Place, Standing } from './place.js'
import type { Places } from './places.js'

interface Waiting {
  readonly listeners: Set<(news?: News) => void>
  readonly cell: CellWatch
  inForce: boolean
  /** The entry that shows others that this client waits. */
  place: Place | undefined
}

/** One client's waits for latches. */
export class CellWaits {
  readonly #waiting = new Map<string, Waiting>()

  constructor(private readonly places: Places) {}

  watch(name: string, onNews: (news?: News) => void): Watch {
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

  /** Shows others that this client waits, as long as somebody watches. */
  async show(name: string): Promise<void> {
    const waiting = this.#waiting.get(name)
    if (!waiting || waiting.place) return
    // The session of this place has ended: the next place shows who asks now.
    const place = this.places.open(this.#standing(name), () => {
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

  /** How many clients wait. */
  async count(name: string): Promise<number> {
    const line = await this.places.link.read(this.#lock(name))
    return new Set(line.map(({ key }) => clientOf(ownerOf(key)))).size
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

  /** A client itself, which is the owner of nothing. */
  #standing(name: string): Standing {
    return { lock: this.#lock(name), mode: 'read', owner: `${this.places.settings.clientId}:0` }
  }

  #lock(name: string): LockName {
    return { keyspace: 'latch', name }
  }
}

function tell({ listeners }: Pick<Waiting, 'listeners'>): void {
  for (const listener of [...listeners]) listener()
}
