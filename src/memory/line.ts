import type { Owner } from '../identity/owner.js'
import { clientOf, ownerOf, type Place } from '../rows/place.js'
import type { Clock } from '../time/clock.js'

/** How long an unreachable process keeps its places; the line passes it over meanwhile. As in `lua/parts/line.lua`. */
const AWAY_MS = 10_000
/** A process that looks at most so much later than the lock ends gets no message about it. */
const SLACK_MS = 50
/** How long a waiter sleeps at most before it looks. */
export const LONGEST_LOOK_MS = 30_000

/** One process in line. */
interface Process {
  places: number
  /** When it looks by itself. */
  looksAt: number
  /** How long a grant lasts until it takes over. */
  leaseMs: number
  /** Since when no message reaches it, or it has not taken over a grant. */
  awaySince: number | undefined
}

/** A message to a process. */
export type Told<P extends Place> =
  /** That place has the lock. */
  | { readonly letIn: P }
  /** It must look after so long. */
  | { readonly lookInMs: number }
  /** Its places are gone. */
  | { readonly placesGone: true }
  /** Others ask for the lock that it may keep. */
  | { readonly asked: true }

/** The lock that a line is for. */
export interface Served<P extends Place> {
  holds(owner: Owner): boolean
  admits(place: P): boolean
  grant(place: P, leaseMs: number): void
  /** How long until that place could enter if no owner releases. */
  obstacleMs(place: P): number
}

/** The channels of the processes in that line. */
export interface Channels<P extends Place> {
  /** Whether that process listens. */
  reaches(client: string): boolean
  tell(client: string, told: Told<P>): void
}

/**
 * The line in which processes wait for one lock, as `lua/parts/line.lua` keeps it: first come, first served. A request that finds room
 * gives it to the next in line, and tells that process alone.
 */
export class MemoryLine<P extends Place> {
  readonly #places = new Set<P>()
  readonly #processes = new Map<string, Process>()
  /** Places that were granted the lock, and whose processes have not shown that they took over. */
  readonly #letIn = new Set<Owner>()

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly served: Served<P>,
    private readonly channels: Channels<P>,
  ) {}

  get empty(): boolean {
    return this.#places.size === 0
  }

  /** How many processes wait. */
  get processes(): number {
    return this.#processes.size
  }

  /**
   * Adds a place at the end of the line, or keeps the existing one. Returns after how long its process looks: soon if the place is new,
   * else when the lock ends.
   * @param endsInMs when the lock ends, as far as known
   * @param firstLeaseMs how long a grant lasts until the process takes over
   */
  stand(place: P, endsInMs: number, firstLeaseMs: number): number {
    const client = clientOf(place)
    const known = this.#places.has(place)
    const looksInMs = Math.min(endsInMs, known ? LONGEST_LOOK_MS : firstLeaseMs)
    this.#places.add(place)
    this.#processes.set(client, {
      places: (this.#processes.get(client)?.places ?? 0) + (known ? 0 : 1),
      looksAt: this.clock.now() + looksInMs,
      leaseMs: firstLeaseMs,
      awaySince: undefined,
    })
    return looksInMs
  }

  leave(place: P): void {
    if (!this.#places.delete(place)) return
    const client = clientOf(place)
    const process = this.#processes.get(client)
    if (process) process.places -= 1
    if (process?.places === 0) this.#processes.delete(client)
    if (this.empty) this.#letIn.clear()
  }

  /** The place has taken over its grant, given it back, or lost it. */
  settled(owner: Owner): void {
    this.#letIn.delete(owner)
  }

  /**
   * Grants the lock to the next places, as far as there is room. Stops at `me`, the place that this request is for. False if there is no
   * room for a place before `me`.
   */
  advance(me?: P): boolean {
    if (me) this.#isHere(clientOf(me))
    this.#suspect(me && clientOf(me))
    let letIn = false
    let reached = true
    for (const place of this.#places) {
      if (place === me) break
      const process = this.#processes.get(clientOf(place))
      if (!process || this.#isGone(process)) this.#drop(place)
      else if (process.awaySince !== undefined) continue
      else if (!this.served.admits(place)) {
        reached = false
        break
      } else if (this.#letInNext(place, process)) letIn = true
    }
    if (letIn) this.callHead()
    return reached
  }

  /** Has the head of the line look when it could enter, unless it will anyway. */
  callHead(): void {
    const head = this.head
    const process = head && this.#processes.get(clientOf(head))
    if (!head || !process) return
    const lookInMs = this.served.obstacleMs(head)
    const looksAt = this.clock.now() + lookInMs
    if (process.looksAt <= looksAt + SLACK_MS) return
    process.looksAt = looksAt
    this.channels.tell(clientOf(head), { lookInMs })
  }

  /** False if no message reaches its process. */
  #letInNext(place: P, process: Process): boolean {
    const client = clientOf(place)
    if (!this.channels.reaches(client)) {
      process.awaySince = this.clock.now()
      return false
    }
    this.served.grant(place, process.leaseMs)
    this.#letIn.add(ownerOf(place))
    this.leave(place)
    this.channels.tell(client, { letIn: place })
    return true
  }

  /**
   * Grants have lapsed: their processes did not take over, or have stopped. Such a process counts as away until it sends a request, so that
   * it costs one lease at most, however many places it has. The message has a process that is alive send one.
   */
  #suspect(asking: string | undefined): void {
    for (const owner of this.#letIn) {
      if (this.served.holds(owner)) continue
      this.#letIn.delete(owner)
      const client = clientOf(owner)
      const process = client === asking ? undefined : this.#processes.get(client)
      if (!process || process.awaySince !== undefined) continue
      process.awaySince = this.clock.now()
      process.looksAt = this.clock.now()
      this.channels.tell(client, { lookInMs: 0 })
    }
  }

  #isHere(client: string): void {
    const process = this.#processes.get(client)
    if (process) process.awaySince = undefined
  }

  /** The first place in line whose process is not away. */
  get head(): P | undefined {
    for (const place of this.#places) {
      if (this.#processes.get(clientOf(place))?.awaySince === undefined) return place
    }
    return undefined
  }

  #isGone({ awaySince }: Process): boolean {
    return awaySince !== undefined && this.clock.now() - awaySince > AWAY_MS
  }

  /** The last place of a process that is gone. If it is alive after all, it asks again. */
  #drop(place: P): void {
    const client = clientOf(place)
    this.leave(place)
    if (!this.#processes.has(client)) this.channels.tell(client, { placesGone: true })
  }
}
