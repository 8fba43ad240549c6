import { StoreError } from '../../src/base/errors/errors.js'
import type { Clock } from '../../src/base/time/clock.js'
import type { AcquireReply, AcquireRequest, BatchPort } from '../../src/port/lock-port.js'
import { ScriptedPort } from './scripted-port.js'

/** A store that answers nothing: each command ends by its own timeout. */
export class SilentPort extends ScriptedPort {
  /** While it is not silent it grants what it is asked for. */
  silent = true
  readonly together: BatchPort | undefined

  constructor(
    private readonly clock: Clock,
    private readonly commandTimeoutMs: number,
    together: boolean,
  ) {
    super(true)
    const all = (): Promise<never> => this.#silence()
    this.together = together ? { placeOf: () => 0, acquireAll: all, acquireOne: all } : undefined
  }

  override acquire(_request: AcquireRequest): Promise<AcquireReply> {
    return this.silent ? this.#silence() : Promise.resolve({ outcome: 'granted' })
  }

  override async abandon(): Promise<void> {}

  #silence(): Promise<never> {
    return new Promise((_, reject) => {
      const failed = new StoreError('timeout', 'acquire', { transient: true })
      this.clock.startTimer(() => reject(failed), this.commandTimeoutMs)
    })
  }
}
