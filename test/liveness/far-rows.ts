import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { Draft, InboxListener, RowSession, Rows } from '../../src/stores/rows/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import type { Shape } from '../../src/stores/rows/shape.js'
import type { Network } from './network.js'

/** A store that keeps rows, across a network. */
export class FarRows implements Store, Rows {
  /** The clients, in the order in which they came. */
  readonly clients: string[] = []
  /** The client that no message reaches. */
  cutOff: string | undefined
  readonly #listeners = new Map<string, InboxListener>()
  readonly #rows: MemoryRows

  constructor(private readonly network: Network) {
    this.#rows = new MemoryRows(network.clock)
  }

  get clock() {
    return this.network.clock
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this, settings)
  }

  /** Messages reach that client again. */
  join(client: string): void {
    this.cutOff = undefined
    this.#listeners.get(client)?.missed()
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    const { network } = this
    const { clientId } = settings
    this.clients.push(clientId)
    this.#listeners.set(clientId, listener)
    const deliver = network.wayOfMessages()
    const session = this.#rows.openRows(settings, {
      message: (message) => {
        if (this.cutOff !== clientId) deliver(() => listener.message(message))
      },
      missed: () => listener.missed(),
    })
    const change = <Body, Result>(
      shape: Shape<Body>,
      name: string,
      make: (draft: Draft<Body>) => Result,
    ): Promise<Result> => {
      const reaching = (draft: Draft<Body>): Draft<Body> => ({
        ...draft,
        reaches: (client) => client !== this.cutOff && draft.reaches(client),
      })
      return network.carry(clientId, shape.keyspace, () =>
        session.change(shape, name, (draft) => make(reaching(draft))),
      )
    }
    return { ...session, inbox: session.inbox, change }
  }
}
