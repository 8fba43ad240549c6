import type { StoreError } from '../../src/index.js'
import { closedError } from '../../src/port/failure.js'
import type { Watch } from '../../src/port/lock-port.js'
import { TakenOver } from './taken-over.js'

/** A store that never settles anything from a moment on: not even its own time is up, and to be closed does not move it. */
export class MuteStore extends TakenOver {
  mute = false
  /** Whether its sessions say that they are closed, as they should: without asking anybody. */
  closes = true
  /** Whether what was asked fails when the session is closed, as where a connection ends. */
  fails = false
  readonly #open: Array<(error: StoreError) => void> = []

  protected takes(command: string): boolean {
    if (!this.mute || command !== 'close') return this.mute
    if (this.fails) for (const reject of this.#open) reject(closedError({ command: 'look' }))
    return !this.closes
  }

  protected instead(command: string): unknown {
    if (command === 'list') return endless()
    const never = new Promise<never>((_, reject) => void this.#open.push(reject))
    if (command === 'watch' || command === 'hearAsks')
      return { confirmed: never, close: () => undefined } satisfies Watch
    return never
  }
}

async function* endless(): AsyncIterable<never> {
  await new Promise<never>(() => undefined)
}
