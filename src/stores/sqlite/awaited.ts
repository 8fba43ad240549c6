import type { Keyspace } from '../rows/shape.js'
import type { Database } from './database.js'

interface AwaitedRow {
  readonly keyspace: Keyspace
  readonly name: string
  /** The clients that kept this one waiting when it last asked. */
  readonly holders: ReadonlySet<string>
}

/** The rows for which this client waits, by its last look at them. */
export class Awaited {
  readonly #rows = new Map<string, AwaitedRow>()

  constructor(private readonly me: string) {}

  get any(): boolean {
    return this.#rows.size > 0
  }

  /** Notes the waiters and holders that a change of that row has left. */
  note(keyspace: Keyspace, name: string, waiting: readonly string[], holders: ReadonlySet<string>): void {
    const address = `${keyspace}:${name}`
    if (waiting.includes(this.me)) this.#rows.set(address, { keyspace, name, holders })
    else this.#rows.delete(address)
  }

  /** Forgets those that it waits for no more, and gives the holders of the others. */
  look(database: Database): Set<string> {
    const holders = new Set<string>()
    for (const [address, row] of this.#rows) {
      const waits = database.one(
        'SELECT instr(waiting, ?) FROM holdfast_rows WHERE keyspace = ? AND name = ?',
        this.me,
        row.keyspace,
        row.name,
      )
      if (!waits) this.#rows.delete(address)
      else for (const holder of row.holders) holders.add(holder)
    }
    return holders
  }
}
