import type { Owner } from '../identity/owner.js'
import type { Clock } from '../time/clock.js'
import { clientOf, ownerOf, type Place } from './place.js'

/** So long a process keeps its places that nothing reaches; it is passed over meanwhile. As in `lua/parts/line.lua`. */
const AWAY_MS = 10_000
/** A process that looks so much later than the lock ends need not be told of that. */
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
  /** Since when nothing reaches it, or it has not taken over what it was granted. */
  awaySince: number | undefined
}

/** What a process is told. */
export type Told<P extends Place> =
  /** That place was let in. */
  | { readonly letIn: P }
  /** It is to look after so long. */
  | { readonly lookInMs: number }
  /** Its places are gone. */
  | { readonly placesGone: true }

/** The lock that a line is for. */
export interface Served<P extends Place> {
  holds(owner: Owner): boolean
  admits(place: P): boolean
  grant(place: P, leaseMs: number): void
  /** How long until that place could enter with nobody releasing. */
  obstacleMs(place: P): number
}

/** How the processes in that line are reached. */
export interface Channels<P extends Place> {
  /** Whether anybody of that process listens. */
  reaches(client: string): boolean
  tell(client: string, told: Told<P>): void
}

/**
 * The line in which processes wait for one lock, as `lua/parts/line.lua` keeps it: first come, first served. Whoever finds room gives it to
 * the next in line, and tells that process alone.
 */
export class MemoryLine<P extends Place> {
  readonly #places = new Set<P>()
  readonly #processes = new Map<string, Process>()
  /** Who was let in, and has not done anything with it that is known here. */
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
   * Gives a place at the end of the line, or keeps the one there is. Returns after how long its process is to look: soon where the place
   * is new, else when the lock ends.
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

  /** It has taken over what it was granted, or given it back, or that was taken from it. */
  settled(owner: Owner): void {
    this.#letIn.delete(owner)
  }

  /**
   * Lets in whoever is next, as far as there is room. Stops at `me`, who is here and looks after itself. False where somebody stands before
   * `me` for whom there is no room.
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

  /** False where nothing reaches its process. */
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
   * Of those that were let in, some have the lock no more, with nothing heard of them: their processes did not take over, or stopped. Each
   * counts as away until it asks for something, so that it costs no more than one lease, however many places it has. One that lives is told to ask.
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

  /** The first in line that is not away. */
  get head(): P | undefined {
    for (const place of this.#places) {
      if (this.#processes.get(clientOf(place))?.awaySince === undefined) return place
    }
    return undefined
  }

  #isGone({ awaySince }: Process): boolean {
    return awaySince !== undefined && this.clock.now() - awaySince > AWAY_MS
  }

  /** The last place of a process that is gone: should it live after all, it is to ask again. */
  #drop(place: P): void {
    const client = clientOf(place)
    this.leave(place)
    if (!this.#processes.has(client)) this.channels.tell(client, { placesGone: true })
  }
}
