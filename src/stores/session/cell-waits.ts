import type { Owner } from '../../base/identity/owner.js'
import type { News, Watch } from '../../port/lock-port.js'
import type { LockKeyspace } from '../../port/store.js'
import { clientOf } from '../line/place.js'
import type { Cells, CellWatch } from './cells.js'
import { ownerOf } from './key.js'
import type { EntryWatch, Line } from './line.js'
import type { LockName } from './lock-name.js'
import type { Place, Standing } from './place.js'
import type { Places } from './places.js'

interface Waiting {
  readonly listeners: Set<(news?: News) => void>
  readonly cell: CellWatch
  /** On those whose leaving makes room. */
  readonly entries: Map<string, EntryWatch>
  inForce: boolean
  /** By which others see that this client waits. */
  place: Place | undefined
}

/** What one client waits for that a cell says, or that those say who stand beside it. */
export class CellWaits {
  readonly #waiting = new Map<string, Waiting>()

  constructor(
    private readonly places: Places,
    private readonly cells: Cells,
    private readonly keyspace: LockKeyspace & ('latch' | 'semaphore'),
  ) {}

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

  /** Whether a call has found that it has to wait, and still waits. */
  has(name: string): boolean {
    return this.#waiting.get(name)?.place !== undefined
  }

  /** Shows others that this client waits, as long as somebody watches. The line as it is then; undefined: nobody does. */
  async show(name: string): Promise<Line | undefined> {
    const waiting = this.#waiting.get(name)
    if (!waiting) return undefined
    if (waiting.place) return await this.places.link.read(this.#lock(name))
    // Its session has ended: who asks now is shown by the next, which watches what this one did.
    const place = this.places.open(this.#standing(name), () => {
      waiting.place = undefined
      // Where watches belong to the session they have ended with it, and would keep those that follow from being set.
      unwatch(waiting)
      tell(waiting)
    })
    place.joined = true
    waiting.place = place
    try {
      return await this.places.stand(place)
    } catch (error) {
      if (waiting.place === place) waiting.place = undefined
      this.#leave(place)
      throw error
    } finally {
      if (this.#waiting.get(name) !== waiting) this.#leave(place)
    }
  }

  /** Tells when one of these owners leaves that line. Who is not in it has left. */
  behind(name: string, line: Line, owners: readonly string[]): void {
    const waiting = this.#waiting.get(name)
    if (!waiting) return
    const standing = new Map<string, Line[number]>(line.map((entry) => [ownerOf(entry.key), entry]))
    for (const owner of owners) {
      const entry = standing.get(owner)
      if (!entry) {
        tell(waiting)
        continue
      }
      if (waiting.entries.has(entry.key)) continue
      const watch = this.places.link.watch(this.#lock(name), entry, () => {
        watch.close()
        waiting.entries.delete(entry.key)
        tell(waiting)
      })
      waiting.entries.set(entry.key, watch)
    }
  }

  /** How many clients wait. */
  async count(name: string): Promise<number> {
    const line = await this.places.link.read(this.#lock(name))
    const waiting = line.map(({ key }) => ownerOf(key)).filter((owner) => owner === itself(owner))
    return new Set(waiting).size
  }

  #begin(name: string): Waiting {
    const listeners: Waiting['listeners'] = new Set()
    const cell = this.cells.watch({ space: this.keyspace, name }, () => tell({ listeners }))
    const waiting: Waiting = { listeners, cell, entries: new Map(), inForce: false, place: undefined }
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
    unwatch(waiting)
    if (waiting.place?.admitted) this.#leave(waiting.place)
  }

  #leave(place: Place): void {
    if (!place.leaving) void this.places.drop(place)
  }

  #standing(name: string): Standing {
    return {
      lock: this.#lock(name),
      mode: 'read',
      owner: itself(`${this.places.settings.clientId}:0`),
    }
  }

  #lock(name: string): LockName {
    return { keyspace: this.keyspace, name }
  }
}

function tell({ listeners }: Pick<Waiting, 'listeners'>): void {
  for (const listener of [...listeners]) listener()
}

function unwatch({ entries }: Pick<Waiting, 'entries'>): void {
  for (const watch of entries.values()) watch.close()
  entries.clear()
}

/** A client itself, which is the owner of nothing. */
function itself(owner: Owner): Owner {
  return `${clientOf(owner)}:0`
}
