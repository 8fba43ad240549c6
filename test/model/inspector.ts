import { ownerOf } from '../../src/stores/line/place.js'
import type { Ask, Held, History } from './history.js'
import type { ModelClient } from './model-client.js'
import type { Server } from './server.js'

/** The longest pause between two tries, and the margin of the longest lease. */
const LONGEST_PAUSE_MS = 1_000

/** Looks at the whole world between any two steps, and compares what clients believe and do with what the server has. */
export class Inspector {
  readonly #freeSince = new Map<string, number>()
  readonly #untoldSince = new Map<Held, number>()

  constructor(
    private readonly history: History,
    private readonly server: Server,
    private readonly clients: readonly ModelClient[],
    /** How long a lock may stay free while somebody waits and nothing is on its way. */
    private readonly wakeUp: { readonly calmMs: number; readonly troubledMs: number },
  ) {}

  /** @param pending whether anything but time is on its way. */
  look(pending: boolean): void {
    this.history.check()
    this.#checkTold()
    this.#checkWakeUps(pending)
    this.#checkCounts()
  }

  /**
   * Nothing is left in the store but what its holder has lost or was closed with, which ends with its lease, and what ends so
   * soon that another try to give it back would come too late. Nobody stands in line.
   */
  checkLeftovers(): void {
    for (const name of ['a', 'b']) {
      const place = this.server.lock(name).line.head
      const client = place && this.clients.find((each) => each.owns(ownerOf(place)))
      if (client && !this.history.gaveUp.has(client.number))
        this.history.fail(`a place on which nobody waits is left in the line of ${name}: ${place}`)
      const serial = this.server.serial(name)
      const { owner, remainingMs } = this.server.lock(name)
      if (serial === undefined || this.history.given.has(serial)) continue
      if (remainingMs <= LONGEST_PAUSE_MS) continue
      const holder = this.clients.find((each) => owner && each.owns(owner))
      if (holder && this.history.gaveUp.has(holder.number)) continue
      this.history.fail(`a stray hold is left in the store: ${name}, tenure ${serial}`)
    }
  }

  /** A hold whose time has passed says so by its signal, as soon as the event loop runs (rule L3). */
  #checkTold(): void {
    const now = this.server.clock.now()
    for (const held of this.history.holds) {
      const { client, hold, serial } = held
      const untold = hold.remainingMs() === 0 && !hold.signal.aborted && held.awake()
      if (!untold) this.#untoldSince.delete(held)
      else if (!this.#untoldSince.has(held)) this.#untoldSince.set(held, now)
      else if (now - (this.#untoldSince.get(held) ?? now) > 1)
        this.history.fail(`c${client} was not told that ${hold.name} (tenure ${serial}) is lost`)
    }
  }

  /** A free lock does not stay free while somebody waits for it. */
  #checkWakeUps(pending: boolean): void {
    const now = this.server.clock.now()
    const mostMs = this.history.troubled ? this.wakeUp.troubledMs : this.wakeUp.calmMs
    for (const name of ['a', 'b']) {
      const waiting = [...this.history.asks].find(
        (ask) =>
          ask.name === name && !ask.expired() && !this.#waitsForForced(ask) && !this.#paused(ask.client),
      )
      const free = this.server.freed.has(name) && this.server.serial(name) === undefined
      if (!waiting || !free || pending) this.#freeSince.delete(name)
      else if (!this.#freeSince.has(name)) this.#freeSince.set(name, now)
      else if (now - (this.#freeSince.get(name) ?? now) > mostMs)
        this.history.fail(`lost wake-up: ${name} is free, and c${waiting.client} waits on`)
    }
  }

  /** The store counts as many holds as there are, when nothing is on its way. Scopes lock "b" unseen, so "a" is looked at. */
  #checkCounts(): void {
    const { owner, holds: counted } = this.server.lock('a')
    if (owner === undefined) return
    for (const { number, holdfast, port } of this.clients) {
      const { calls, orphans } = holdfast.census
      if (calls > 0 || orphans > 0 || port.busyWith('a')) continue
      const serial = this.server.serial('a')
      const mine = [...this.history.holds].filter(
        (held) => held.client === number && held.hold.name === 'a' && held.serial === serial,
      )
      const [first] = mine.filter((held) => !this.history.given.has(held.serial))
      if (!first || this.server.forced.has(first.serial)) continue
      // A partial release that failed leaves the count too high for a while.
      const wrong = this.history.troubled ? counted < mine.length : counted !== mine.length
      if (wrong) this.history.fail(`c${number} has ${mine.length} holds of "a", the store counts ${counted}`)
    }
  }

  /**
   * Whether the call may be waiting for a hold of its own client that was ended by force, and of which that client cannot know
   * yet. It is let in when the watchdog has noticed: a sibling, which waits for its own owner, and anybody where the news of the
   * force can overtake the answer that granted the hold.
   */
  #waitsForForced(ask: Ask): boolean {
    if (ask.fresh && this.clients[ask.client]?.port.watchesInOrder) return false
    return [...this.history.holds].some(
      ({ client, hold, serial }) =>
        client === ask.client && hold.name === ask.name && this.server.forced.has(serial),
    )
  }

  #paused(client: number): boolean {
    return this.clients[client]?.clock.paused ?? false
  }
}
