import type { Clock } from '../core/clock.js'
import type { Owner } from '../owner.js'
import type { News } from '../store.js'

/** As in `lua/parts/line.lua`. */
const AWAY_MS = 10_000
const SLACK_MS = 50

/** One process that waits, and its listener. */
interface Process {
  looksAt: number
  leaseMs: number
  awaySince: number | undefined
}

/** What a line serves: one lock of one kind. */
export interface Served<Place extends string> {
  clientOf(place: Place): string
  admits(place: Place): boolean
  /** Lets it in for that long. Returns its token, where there is one. */
  grant(place: Place, leaseMs: number): bigint | undefined
  withdraw(place: Place): void
}

/** Tells a process. False where nothing reaches it. */
export type Tell = (client: string, news: News) => boolean

/** The line of one lock, as `lua/parts/line.lua` keeps it: processes wait in it, first come, first served. */
export class MemoryLine<Place extends string> {
  readonly #places = new Set<Place>()
  readonly #processes = new Map<string, Process>()
  /** The place that was let in last and has not released since. */
  last: Place | undefined

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly served: Served<Place>,
    private readonly tell: Tell,
  ) {}

  get empty(): boolean {
    return this.#places.size === 0
  }

  /** How many processes wait. */
  get processes(): number {
    return this.#processes.size
  }

  /** How many places that client has. */
  placesOf(client: string): number {
    return [...this.#places].filter((place) => this.served.clientOf(place) === client).length
  }

  /** Gives a place at the end of the line, or keeps the one there is. */
  stand(place: Place, looksInMs: number, leaseMs: number): void {
    this.#places.add(place)
    const looksAt = this.clock.now() + looksInMs
    this.#processes.set(this.served.clientOf(place), { looksAt, leaseMs, awaySince: undefined })
  }

  leave(place: Place): boolean {
    if (!this.#places.delete(place)) return false
    const client = this.served.clientOf(place)
    if (this.placesOf(client) === 0) this.#processes.delete(client)
    if (this.empty) this.last = undefined
    return true
  }

  /** There is room although the one let in last has not released: its process is passed over until it asks for something. */
  suspect(asking: string): void {
    const { last } = this
    this.last = undefined
    const client = last && this.served.clientOf(last)
    const process = client === undefined || client === asking ? undefined : this.#processes.get(client)
    if (process) process.awaySince ??= this.clock.now()
  }

  /** Lets in who is next, as far as there is room. Stops at `me`, who is here and looks after itself. Gives how many were let in. */
  advance(me?: Place): number {
    const { served } = this
    let letIn = 0
    for (const place of [...this.#places]) {
      if (place === me || !served.admits(place)) break
      const process = this.#processes.get(served.clientOf(place))
      if (!process || this.#isGone(process)) {
        this.leave(place)
      } else if (process.awaySince === undefined) {
        served.grant(place, process.leaseMs)
        if (this.tell(served.clientOf(place), served.news(place))) {
          this.last = place
          this.leave(place)
          letIn += 1
        } else {
          served.withdraw(place)
          process.awaySince = this.clock.now()
        }
      }
    }
    return letIn
  }

  /** The first in line that is not away. */
  get head(): Place | undefined {
    for (const place of this.#places) {
      if (this.#processes.get(this.served.clientOf(place))?.awaySince === undefined) return place
    }
    return undefined
  }

  /** Has the head of the line look after so many milliseconds, unless it will anyway. */
  callHead(inMs: number): void {
    const { head } = this
    const process = head && this.#processes.get(this.served.clientOf(head))
    const looksAt = this.clock.now() + inMs
    if (!head || !process || process.looksAt <= looksAt + SLACK_MS) return
    process.looksAt = looksAt
    this.tell(this.served.clientOf(head), { lookInMs: inMs })
  }

  #isGone({ awaySince }: Process): boolean {
    return awaySince !== undefined && this.clock.now() - awaySince > AWAY_MS
  }
}
