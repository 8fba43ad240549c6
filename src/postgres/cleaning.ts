import type { StoreSettings } from '../ports/store.js'
import type { Connections } from '../sql/connections.js'
import type { Statements } from './statements.js'

const INTERVAL_MS = 3_600_000

/** Deletes rows that say nothing and have not changed for long: every client that is in use some of them, about once an hour. */
export class Cleaning {
  #dueAt: number

  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'onError'>,
    private readonly retainMs: number,
  ) {
    this.#dueAt = this.#nextAt
  }

  /** The client is in use. Needs no timer, so that nothing is alive while it is idle. */
  used(): void {
    if (this.settings.schedule.clock.now() < this.#dueAt) return
    this.#dueAt = this.#nextAt
    this.clean().catch(this.settings.onError)
  }

  async clean(): Promise<void> {
    await this.connections.query({
      statement: this.statements.clean,
      values: [String(this.retainMs)],
      about: { command: 'clean' },
    })
  }

  /** Clients that began together do not clean together. */
  get #nextAt(): number {
    return this.settings.schedule.clock.now() + INTERVAL_MS * (0.5 + Math.random())
  }
}
