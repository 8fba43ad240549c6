import { expect } from 'vitest'
import { Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { settle } from './scripted-port.js'

/** Clients on one store, in virtual time: they are to each other as processes are. */
export class Processes {
  readonly clock = new VirtualClock()
  /** All that are to be closed at the end. */
  readonly made: Holdfast[] = []
  readonly #store = new MemoryStore(this.clock)

  /** The one lock, in a process of its own. */
  client(options: HoldfastOptions = {}): Lock {
    const holdfast = new Holdfast(this.#store, options)
    this.made.push(holdfast)
    return holdfast.lock('lock')
  }

  /** Closes them; nothing may be left in any. */
  async end(): Promise<void> {
    await Promise.all(this.made.map((holdfast) => holdfast.close()))
    for (const { census } of this.made) expect(Object.values(census).every((count) => count === 0)).toBe(true)
    expect(this.clock.timers).toBe(0)
  }
}

/** Lets everything go on that needs no time: hand-overs, announcements, attempts. */
export async function withoutTime(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await settle()
}

/** How many in a row were the same. */
export function runs(log: readonly string[]): Array<readonly [string, number]> {
  const found: Array<[string, number]> = []
  for (const who of log) {
    const last = found.at(-1)
    if (last?.[0] === who) last[1] += 1
    else found.push([who, 1])
  }
  return found
}
