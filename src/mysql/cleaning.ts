import type { StoreSettings } from '../ports/store.js'
import { text } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { BATCH, type Statements } from './statements.js'

const INTERVAL_MS = 3_600_000

/** Deletes rows that say nothing and have not changed for long: every client some of them, about once an hour while it is used. */
export class Cleaning {
  #dueAt: number

  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'onError'>,
    private readonly retainMs: number,
  ) {
    this.#dueAt = this.#next()
  }

  /** The client is in use. */
  used(): void {
    const { schedule, onError } = this.settings
    if (schedule.clock.now() < this.#dueAt) return
    this.#dueAt = this.#next()
    this.clean().catch(onError)
  }

  /** Deletes at most 1 000 rows. */
  async clean(): Promise<void> {
    const retainUs = String(this.retainMs * 1_000)
    const about = { command: 'clean' }
    const rows = await this.connections.query({
      statement: this.statements.blank,
      values: [retainUs, retainUs, retainUs],
      about,
    })
    const keys = rows.map((row) => [
      bytesOf(row, 'space'),
      bytesOf(row, 'bytes'),
      text(row, 'written') ?? null,
    ])
    for (let from = 0; from < keys.length; from += BATCH) {
      const batch = keys.slice(from, from + BATCH)
      await this.connections.query({
        statement: this.statements.delete,
        values: Array.from({ length: BATCH }, (_, index) => batch[index % batch.length] ?? []).flat(),
        about,
      })
    }
  }

  /** Clients that began together do not clean together. */
  #next(): number {
    return this.settings.schedule.clock.now() + INTERVAL_MS * (0.5 + Math.random())
  }
}

function bytesOf(row: Parameters<typeof text>[0], column: string): Buffer {
  return Buffer.from(text(row, column) ?? '', 'hex')
}
