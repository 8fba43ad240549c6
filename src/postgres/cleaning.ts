import type { StoreSettings } from '../ports/store.js'
import type { TimerHandle } from '../time/schedule.js'
import type { Connections } from './connections.js'
import type { Statements } from './statements.js'

const INTERVAL_MS = 3_600_000

/** Deletes rows that say nothing and have not changed for long: every client some of them, about once an hour. */
export class Cleaning {
  #next: TimerHandle | undefined

  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'onError'>,
    private readonly retainMs: number,
  ) {}

  start(): void {
    const { schedule, onError } = this.settings
    // Clients that began together do not clean together.
    const inMs = INTERVAL_MS * (0.5 + Math.random())
    this.#next = schedule.at(schedule.clock.now() + inMs, () => {
      this.clean().catch(onError)
      this.start()
    })
  }

  stop(): void {
    this.settings.schedule.cancel(this.#next)
  }

  async clean(): Promise<void> {
    await this.connections.query({
      statement: this.statements.clean,
      values: [String(this.retainMs)],
      about: { command: 'clean' },
    })
  }
}
