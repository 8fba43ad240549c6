import type { StoreSettings } from '../../port/store.js'

const INTERVAL_MS = 3_600_000

/** Deletes rows that say nothing and have not changed for long: each client in use deletes some about once an hour. */
export class Cleaning {
  #dueAt: number

  constructor(
    readonly clean: () => Promise<void>,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'onError'>,
  ) {
    this.#dueAt = this.#nextAt
  }

  /** The client is in use. Needs no timer, so that nothing is alive while it is idle. */
  used(): void {
    if (this.settings.schedule.clock.now() < this.#dueAt) return
    this.#dueAt = this.#nextAt
    this.clean().catch(this.settings.onError)
  }

  /** Clients that began together do not clean together. */
  get #nextAt(): number {
    return this.settings.schedule.clock.now() + INTERVAL_MS * (0.5 + Math.random())
  }
}
