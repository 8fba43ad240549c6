import type { VirtualClock } from '../../src/memory/index.js'
import { MemoryRows } from '../../src/memory/memory-rows.js'
import type { StoreSession, StoreSettings } from '../../src/ports/store.js'
import type { Draft, InboxListener, RowSession, Rows } from '../../src/rows/rows.js'
import { RowStoreSession } from '../../src/rows/session.js'
import type { Shape } from '../../src/rows/shape.js'

/** How a change travels to its row, and its answer back: in so many milliseconds, or until that resolves. */
export interface Journey {
  readonly there?: number | Promise<void>
  readonly back?: number | Promise<void>
  /** What it fails with before it has come to the row. */
  readonly refused?: Error
  /** What it fails with although it was made. */
  readonly lost?: Error
}

/** Rows that are far away, in virtual time: changes and messages travel on ways of their own, so that one can overtake the other. */
export class FarRows implements Rows {
  /** How many changes were sent. */
  sent = 0
  /** The clients, in the order in which they came. */
  readonly clients: string[] = []
  /** Asked for each change; by default it takes no time. */
  journey: (client: string) => Journey = () => ({})
  /** How long the next message takes; those to one client come in order. */
  messageMs: () => number = () => 0
  readonly #rows: MemoryRows

  constructor(readonly clock: VirtualClock) {
    this.#rows = new MemoryRows(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this, settings)
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const { clientId } = settings
    this.clients.push(clientId)
    const session = this.#rows.openRows(settings, this.#late(listener))
    const change = async <Body, Result>(
      shape: Shape<Body>,
      name: string,
      make: (draft: Draft<Body>) => Result,
    ): Promise<Result> => {
      this.sent += 1
      const { there, back, refused, lost } = this.journey(clientId)
      await this.#travelled(there)
      if (refused) throw refused
      const result = await session.change(shape, name, make)
      await this.#travelled(back)
      if (lost) throw lost
      return result
    }
    return { ...session, inbox: session.inbox, change }
  }

  #late(listener: InboxListener): InboxListener {
    let lastAt = 0
    return {
      message: (message) => {
        lastAt = Math.max(lastAt, this.clock.now() + this.messageMs())
        const leftMs = lastAt - this.clock.now()
        if (leftMs > 0) this.clock.startTimer(() => listener.message(message), leftMs)
        else listener.message(message)
      },
      missed: () => listener.missed(),
    }
  }

  async #travelled(way: Journey['there'] = 0): Promise<void> {
    if (typeof way !== 'number') await way
    else if (way > 0) await new Promise<void>((resolve) => void this.clock.startTimer(resolve, way))
  }
}
