import type { VirtualClock } from '../../src/memory/index.js'
import { MemoryRows } from '../../src/memory/memory-rows.js'
import type { StoreSession, StoreSettings } from '../../src/ports/store.js'
import type { Draft, InboxListener, RowSession, Rows } from '../../src/rows/rows.js'
import { RowStoreSession } from '../../src/rows/session.js'
import type { Shape } from '../../src/rows/shape.js'

/** Happens to the change of a client on its way; one that rejects is its failure. */
type OnTheWay = (client: string, keyspace: string) => Promise<void>

/** Rows in reach for as long as nothing is to go wrong. */
export class FarRows implements Rows {
  failure: Error | undefined
  /** Before a change comes to the row. */
  before: OnTheWay = async () => undefined
  /** After it was made. */
  after: OnTheWay = async () => undefined
  sent = 0
  /** The client that no message reaches. */
  cutOff: string | undefined
  readonly #listeners = new Map<string, InboxListener>()
  readonly #rows: MemoryRows

  constructor(readonly clock: VirtualClock) {
    this.#rows = new MemoryRows(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this, settings)
  }

  /** The clients, in the order in which they were opened. */
  get clients(): readonly string[] {
    return [...this.#listeners.keys()]
  }

  /** Messages reach that client again. */
  join(client: string): void {
    this.cutOff = undefined
    this.#listeners.get(client)?.missed()
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const { clientId } = settings
    this.#listeners.set(clientId, listener)
    const session = this.#rows.openRows(settings, {
      message: (message) => {
        if (this.cutOff !== clientId) listener.message(message)
      },
      missed: () => listener.missed(),
    })
    const change = async <Body, Result>(
      shape: Shape<Body>,
      name: string,
      make: (draft: Draft<Body>) => Result,
    ): Promise<Result> => {
      this.sent += 1
      const { failure, before, after } = this
      if (failure) throw failure
      await before(clientId, shape.keyspace)
      const result = await session.change(shape, name, (draft) =>
        make({ ...draft, reaches: (client) => client !== this.cutOff && draft.reaches(client) }),
      )
      await after(clientId, shape.keyspace)
      return result
    }
    return { ...session, inbox: session.inbox, change }
  }
}
