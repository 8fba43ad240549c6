import type { AcquireReply, AcquireRequest, News, Watch } from '../../port/lock-port.js'
import { RowLatchPort } from '../rows/latch-port.js'
import type { RowClient } from '../rows/row-client.js'
import { HeardCells } from './heard-cells.js'
import { clientsIn } from './key.js'
import type { LockName } from './lock-name.js'
import type { Place } from './place.js'
import type { Places } from './places.js'

/** Count-down latches on a server with sessions: a row each, which those who wait watch. */
export class SessionLatchPort extends RowLatchPort {
  readonly #heard: HeardCells
  /** The entries that show others that this client waits, by latch. */
  readonly #shown = new Map<string, Place>()

  constructor(
    client: RowClient,
    private readonly places: Places,
  ) {
    super(client)
    this.#heard = new HeardCells(places, {
      space: 'latch',
      lingerMs: 0,
      changed: (name) => this.#heard.tell(name),
      unheard: (name) => {
        const place = this.#shown.get(name)
        this.#shown.delete(name)
        if (place?.admitted) this.#leave(place)
      },
    })
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
    return this.#heard.watch(name, onNews)
  }

  override async countWatchers(name: string): Promise<number> {
    return clientsIn(await this.places.link.read(latchOf(name)))
  }

  /** Shows others that this client waits, as long as somebody watches. */
  async #show(name: string): Promise<void> {
    if (!this.#heard.has(name) || this.#shown.has(name)) return
    // A client itself is the owner of nothing.
    const owner = `${this.places.settings.clientId}:0` as const
    const itself = { lock: latchOf(name), mode: 'read', owner } as const
    // The session of this place has ended: the next place shows who asks now.
    const place = this.places.open(itself, () => {
      if (this.#shown.get(name) !== place) return
      this.#shown.delete(name)
      this.#heard.tell(name)
    })
    place.joined = true
    this.#shown.set(name, place)
    try {
      await this.places.stand(place)
    } catch (error) {
      if (this.#shown.get(name) === place) this.#shown.delete(name)
      throw error
    } finally {
      if (this.#shown.get(name) !== place) this.#leave(place)
    }
  }

  #leave(place: Place): void {
    if (!place.leaving && this.places.behind(place.key)) void this.places.drop(place)
  }
}

function latchOf(name: string): LockName {
  return { keyspace: 'latch', name }
}
