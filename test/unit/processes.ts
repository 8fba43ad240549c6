import { expect } from 'vitest'
import { kindsOf } from '../../src/client/lock-client.js'
import { Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import type { LockSeen } from '../../src/port/lock-port.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { passing } from './in-virtual-time.js'
import { settle } from './scripted-port.js'

/** Clients on one store, in virtual time: they are to each other as processes are. */
export class Processes {
  readonly clock = new VirtualClock()
  /** All that are to be closed at the end. */
  readonly made: Holdfast[] = []
  readonly #store = new MemoryStore(this.clock)
  readonly #observer = new Holdfast(this.#store)

  /** A process of its own. */
  holdfast(options: HoldfastOptions = {}): Holdfast {
    const holdfast = new Holdfast(this.#store, options)
    this.made.push(holdfast)
    return holdfast
  }

  /** The one lock, in a process of its own. */
  client(options: HoldfastOptions = {}): Lock {
    return this.holdfast(options).lock('lock')
  }

  /** Whether the store has the one lock as somebody's. Unlike a user's look, this asks nobody to give it up. */
  async taken(): Promise<boolean> {
    return (await this.stored()).owners.length > 0
  }

  /** How long the store has it as somebody's from now on, looking every half millisecond. */
  async heldFor(): Promise<number> {
    const from = this.clock.now()
    while (await this.taken()) await this.clock.advance(0.5)
    return this.clock.now() - from
  }

  /** What the store has of the one lock. */
  async stored(): Promise<LockSeen> {
    return await kindsOf(this.#observer).session.lock.inspect('lock')
  }

  /** Sections of so many milliseconds, one after the other, each so long after the one before. */
  async sections(lock: Lock, times = 1, { gapMs = 0, sectionMs = 0 } = {}): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      if (gapMs > 0) await this.clock.advance(gapMs)
      const hold = await lock.acquire()
      if (sectionMs > 0) await this.clock.advance(sectionMs)
      await hold.release()
    }
  }

  /** Three that come again and again for sections of a millisecond take turns of a slice, in order, but for the first sections. */
  async takeTurns(options: HoldfastOptions, forMs: number, butFirst = 0): Promise<void> {
    const log: string[] = []
    let working = true
    const work = ['a', 'b', 'c'].map(async (who) => {
      const lock = this.client({ ...options, maxHandOvers: Number.POSITIVE_INFINITY })
      while (working)
        await lock.withLock(async () => {
          log.push(who)
          await passing(this.clock, 1)
        })
    })
    await this.clock.advance(forMs)
    working = false
    await this.clock.advance(200)
    await Promise.all(work)
    // The first to come is let in with nobody in line, and its slice is a little longer or shorter; the last are cut short.
    const turns = runs(log.slice(butFirst)).slice(1, -3)
    expect(turns.length).toBeGreaterThan(30)
    for (const [, inARow] of turns) expect(inARow).toBe(25)
    const order = turns.map(([who]) => who)
    expect(order.slice(3)).toEqual(order.slice(0, -3))
  }

  /** Closes them; nothing may be left in any. */
  async end(): Promise<void> {
    await Promise.all([this.#observer, ...this.made].map((holdfast) => holdfast.close()))
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
