import type { Clock } from '../../base/time/clock.js'
import { queueMicrotask } from '../../base/time/machine-time.js'
import type { StoreSettings } from '../../port/store.js'
import { matchesGlob } from '../rows/glob.js'
import type { Draft, InboxListener, Message, RowSession, Rows } from '../rows/rows.js'
import { isSame, type Keyspace, NO_ROW, type Packed, type Shape } from '../rows/shape.js'

type Letter = readonly [client: string, message: Message]

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

  /** A copy of the row: changes to it have no effect. */
  at<Body>(shape: Shape<Body>, name: string, letters: Letter[] = []): Draft<Body> {
    const packed = this.#rows.get(keyOf(shape.keyspace, name))
    return {
      body: packed ? shape.unpack(packed) : shape.blank(),
      now: this.clock.now(),
      firstFence: 1n,
      reaches: (client) => this.#inboxes.has(client),
      ended: () => false,
      tell: (client, message) => letters.push([client, message]),
    }
  }

  #change<Body, Result>(shape: Shape<Body>, name: string, change: (draft: Draft<Body>) => Result): Result {
    const letters: Letter[] = []
    const draft = this.at(shape, name, letters)
    const result = change(draft)
    const key = keyOf(shape.keyspace, name)
    const packed = shape.pack(draft.body)
    if (isSame(packed, NO_ROW)) this.#rows.delete(key)
    else this.#rows.set(key, packed)
    for (const [client, message] of letters) this.#send(client, message)
    return result
  }

  /** After the current task, as a message would arrive. */
  #send(client: string, message: Message): void {
    queueMicrotask(() => this.#inboxes.get(client)?.message(message))
  }

  async *#names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    const prefix = keyOf(keyspace, '')
    for (const key of [...this.#rows.keys()]) {
      const name = key.slice(prefix.length)
      if (key.startsWith(prefix) && matchesGlob(pattern, name)) yield name
    }
  }
}

function keyOf(keyspace: Keyspace, name: string): string {
  return `${keyspace}:${name}`
}
