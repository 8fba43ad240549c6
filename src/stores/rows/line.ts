import type { Owner } from '../../base/identity/owner.js'
import { restInLineMs } from '../../port/lease.js'
import { clientOf, isPlace, ownerOf, type Place } from '../line/place.js'
import { aCount, aListOf, anOwner, aPlace, aRecordOf, aText, aTime, partsOf, type Read } from './parts.js'
import type { Draft } from './rows.js'
import { microseconds, type Told } from './told.js'

/** How long an unreachable process keeps its places; the line passes it over meanwhile. As in `lua/parts/line.lua`. */
const AWAY_MS = 10_000
/** A process that looks at most so much later than the lock ends gets no message about it. */
export const SLACK_MS = 50
/** How long a waiter sleeps at most before it looks. */
export const LONGEST_LOOK_MS = 30_000
/** The processes of so many places look when the lock ends; those behind them need not. As in `lua/parts/line.lua`. */
const FRONT = 8

/** One process in line. */
interface Process {
  places: number
  /** When it looks by itself, at the latest. */
  looksAt: number
  /** How long a grant lasts until it takes over. */
  leaseMs: number
  /** What it and this row alone know: it proves that a message about a grant is of who has changed the row. */
  word: string
  /** Since when no message reaches it, or it has not taken over a grant. */
  awaySince?: number
}

/** A line as its row keeps it. */
export interface LineBody {
  /** First come, first served. */
  places: string[]
  readonly processes: Record<string, Process>
  /** Owners that were granted the lock, and have neither asked for it nor released it since. */
  letIn: Owner[]
}

export const aLine: Read<LineBody> = partsOf(
  {
    places: aListOf(aPlace),
    processes: aRecordOf(
      aText,
      partsOf({ places: aCount, looksAt: aTime, leaseMs: aTime, word: aText }, { awaySince: aTime }),
    ),
    letIn: aListOf(anOwner),
  },
  {},
)

/** The lock that a line is for. */
export interface Served<P extends Place> {
  holds(owner: Owner): boolean
  admits(place: P): boolean
  /** Returns the token, if it has one. */
  grant(place: P, leaseMs: number): bigint | undefined
  /** How long a hold can last; absent: as long as its lease. */
  readonly lastsMs?: () => number
  /** How long until that place could enter if no owner releases. */
  obstacleMs(place: P): number
}

/** What a line can do to the processes in it. */
export interface Way extends Pick<Draft<unknown>, 'now' | 'reaches'> {
  /** @param word that of the process, which a grant needs */
  tell(client: string, told: Told, word?: string): void
}

export function noLine(): LineBody {
  return { places: [], processes: {}, letIn: [] }
}

/** When the last process of that line looks again. One that is alive changes the row by then. */
export function quietFrom({ processes }: LineBody): number {
  return Math.max(0, ...Object.values(processes).map(({ looksAt }) => looksAt))
}

/**
 * The line in which processes wait for one lock: first come, first served. A request that finds room gives it to the next in line, and
 * tells that process alone. The same as `lua/parts/line.lua`.
 */
export class Line<P extends Place> {
  /** Whether this request has found room, and has given it to another. */
  #movedOn = false

  constructor(
    private readonly body: LineBody,
    private readonly way: Way,
    private readonly served: Served<P>,
  ) {}

  get empty(): boolean {
    return this.body.places.length === 0
  }

  /** How many processes wait. */
  get processes(): number {
    return Object.keys(this.body.processes).length
  }

  /**
   * Adds a place at the end of the line, or keeps the existing one. Returns after how long its process looks: soon if the place is new;
   * when the lock ends if it stands in front, or has itself moved the line on; else late.
   * @param endsInMs when the lock ends, as far as known
   * @param firstLeaseMs how long a grant lasts until the process takes over
   * @param word what proves a grant to it
   */
  stand(place: P, endsInMs: number, firstLeaseMs: number, word: string): number {
    const { places, processes } = this.body
    const client = clientOf(place)
    const known = places.includes(place)
    const isTheirs = (each: string): boolean => isPlace(each) && clientOf(each) === client
    const rests = known && !this.#movedOn && !places.slice(0, FRONT).some(isTheirs)
    const leastMs = rests ? restInLineMs(firstLeaseMs) : 0
    const looksInMs = Math.min(Math.max(endsInMs, leastMs), known ? LONGEST_LOOK_MS : firstLeaseMs)
    if (!known) places.push(place)
    const { places: others = 0, looksAt = 0 } = processes[client] ?? {}
    processes[client] = {
      places: others + (known ? 0 : 1),
      // Each of its places knows when it looks itself: this one may leave before, and the others look later.
      looksAt: Math.max(looksAt, this.way.now + looksInMs),
      leaseMs: firstLeaseMs,
      word,
    }
    return looksInMs
  }

  leave(place: P): void {
    const { body } = this
    const at = body.places.indexOf(place)
    if (at < 0) return
    body.places.splice(at, 1)
    const client = clientOf(place)
    const process = body.processes[client]
    if (process) process.places -= 1
    if (process?.places === 0) delete body.processes[client]
    if (this.empty) body.letIn = []
  }

  has(place: P): boolean {
    return this.body.places.includes(place)
  }

  /** The owner has asked for the lock that it was granted, released it, or lost it. Returns whether that had not been seen before. */
  settled(owner: Owner): boolean {
    const { body } = this
    const letIn = body.letIn.includes(owner)
    if (letIn) body.letIn = body.letIn.filter((each) => each !== owner)
    return letIn
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
    for (const place of this.#placed()) {
      if (place === me) break
      const process = this.body.processes[clientOf(place)]
      if (!process || this.#isGone(process)) this.#drop(place)
      else if (process.awaySince !== undefined) continue
      else if (!this.served.admits(place)) {
        reached = false
        break
      } else if (this.#letInNext(place, process)) letIn = true
    }
    this.#movedOn ||= letIn
    return reached
  }

  /**
   * Has the head of the line look when it could enter, unless it will anyway. Passes over a process that no message reaches. Part of each
   * change: the head may be another one now, or the lock may end sooner, and nobody is told when a lease runs out.
   */
  callHead(): void {
    for (let { head } = this; head; head = this.head) {
      const client = clientOf(head)
      const process = this.body.processes[client]
      const lookInMs = this.served.obstacleMs(head)
      const looksAt = this.way.now + lookInMs
      if (!process || process.looksAt <= looksAt + SLACK_MS) return
      if (this.way.reaches(client)) {
        process.looksAt = looksAt
        this.way.tell(client, { lookInMs })
        return
      }
      process.awaySince = this.way.now
    }
  }

  /** The first place in line whose process is not away. */
  get head(): P | undefined {
    const { processes } = this.body
    return this.#placed().find((place) => processes[clientOf(place)]?.awaySince === undefined)
  }

  /** False if no message reaches its process. */
  #letInNext(place: P, process: Process): boolean {
    const client = clientOf(place)
    if (!this.way.reaches(client)) {
      process.awaySince = this.way.now
      return false
    }
    const { word } = process
    const leaseMs = Math.min(process.leaseMs, this.served.lastsMs?.() ?? Infinity)
    const fence = this.served.grant(place, leaseMs)
    this.body.letIn.push(ownerOf(place))
    this.leave(place)
    const atUs = microseconds(this.way.now)
    const token = fence !== undefined && { fence: String(fence) }
    this.way.tell(client, { letIn: place, atUs, leaseMs, ...token }, word)
    return true
  }

  /**
   * Grants have lapsed: their processes did not take over, or have stopped. Such a process counts as away until it sends a request, so that
   * it costs one lease at most, however many places it has. The message has a process that is alive send one.
   */
  #suspect(asking: string | undefined): void {
    for (const owner of this.body.letIn) {
      if (this.served.holds(owner)) continue
      this.settled(owner)
      const client = clientOf(owner)
      const process = client === asking ? undefined : this.body.processes[client]
      if (!process || process.awaySince !== undefined) continue
      process.awaySince = this.way.now
      process.looksAt = this.way.now
      this.way.tell(client, { lookInMs: 0 })
    }
  }

  #isHere(client: string): void {
    const process = this.body.processes[client]
    if (process) delete process.awaySince
  }

  #isGone({ awaySince }: Process): boolean {
    return awaySince !== undefined && this.way.now - awaySince > AWAY_MS
  }

  /** The last place of a process that is gone. If it is alive after all, it asks again. */
  #drop(place: P): void {
    const client = clientOf(place)
    this.leave(place)
    if (!this.body.processes[client]) this.way.tell(client, { placesGone: true })
  }

  /** A copy, because places leave while it is read. */
  #placed(): readonly P[] {
    const isOfMode = (place: string): place is P => isPlace(place)
    return this.body.places.filter(isOfMode)
  }
}
