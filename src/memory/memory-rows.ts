import type { StoreSettings } from '../ports/store.js'
import { matchesGlob } from '../rows/glob.js'
import type { Draft, InboxListener, Keyspace, Message, RowSession, Rows } from '../rows/rows.js'
import type { Packed, Shape } from '../rows/shape.js'
import type { Clock } from '../time/clock.js'

/** Rows in this process, and the inboxes of its clients. */
export class MemoryRows implements Rows {
  readonly #rows = new Map<string, Packed>()
  readonly #inboxes = new Map<string, InboxListener>()

  constructor(private readonly clock: Clock) {}

  openRows({ clientId }: StoreSettings, listener: InboxListener): RowSession {
    const inboxes = this.#inboxes
    return {
      inbox: {
        get open() {
          return inboxes.has(clientId)
        },
        opened: async () => {
          inboxes.set(clientId, listener)
        },
        doubt: () => undefined,
      },
      change: async (shape, name, change) => this.#change(shape, name, change),
      names: (keyspace, pattern) => this.#names(keyspace, pattern),
      close: async () => {
        inboxes.delete(clientId)
      },
    }
  }

  #change<Body, Result>(shape: Shape<Body>, name: string, change: (draft: Draft<Body>) => Result): Result {
    const key = `${shape.keyspace}:${name}`
    const packed = this.#rows.get(key)
    const body = packed ? shape.unpack(packed) : shape.blank()
    const letters: Array<readonly [client: string, message: Message]> = []
    const result = change({
      body,
      now: this.clock.now(),
      reaches: (client) => this.#inboxes.has(client),
      ended: () => false,
      tell: (client, message) => letters.push([client, message]),
    })
    this.#rows.set(key, shape.pack(body))
    for (const [client, message] of letters) this.#send(client, message)
    return result
  }

  /** After the current task, as a message would arrive. */
  #send(client: string, message: Message): void {
    queueMicrotask(() => this.#inboxes.get(client)?.message(message))
  }

  async *#names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    const prefix = `${keyspace}:`
    for (const key of [...this.#rows.keys()]) {
      const name = key.slice(prefix.length)
      if (key.startsWith(prefix) && matchesGlob(pattern, name)) yield name
    }
  }
}
