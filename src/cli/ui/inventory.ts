import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue, Pace } from '../catalogue.js'
import { isLocked, type LockView } from '../lock-view.js'
import { chosen, type Part } from './chosen.js'
import type { Sort } from './picture.js'
import { type Totals, type Trend, Trends, totalsOf } from './totals.js'

/** From the beginning of one listing to that of the next. */
const EVERY_MS = 2_000
/** More names are not kept: nobody reads them, and they take memory. */
const MOST_NAMES = 20_000
/** So many are shown before the first listing comes to its end. */
const FIRST = 50

/** Who hears of what an inventory finds. */
export interface Reader {
  /** Whether a name stays although a listing did not find it: until somebody has looked, and for a little longer. */
  keeps(name: string): boolean
  /** A listing found its first locks, came to its end, or to a failure. */
  listed(): void
  /** A failure, in words for people. */
  told(error: unknown): string
}

/** A lock as a listing found it, or somebody who looked since. */
interface Found {
  readonly view: LockView
  readonly atMs: number
  /** The listing that found it last. */
  readonly round: number
  /** The one before, which came to its end, had not found it. */
  readonly isNew: boolean
}

/** All held locks that match a pattern: it lists them again and again, as slowly as it has to. */
export class Inventory {
  readonly #found = new Map<string, Found>()
  readonly #trends = new Trends()
  /** Parts and totals of what is found: they take milliseconds where there are thousands. */
  readonly #parts = new Map<string, Part>()
  #totals: Totals | undefined
  #round = 0
  /** How many found locks could not be read. */
  unreadable = 0
  /** Why the last listing failed. */
  trouble: string | undefined

  constructor(
    private readonly catalogue: Catalogue,
    private readonly pattern: string,
    private readonly reader: Reader,
  ) {}

  /** Lists until the signal aborts. */
  async run(pace: Pace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = performance.now()
      try {
        await this.#list(pace, signal)
        this.trouble = undefined
      } catch (error) {
        if (signal.aborted) return
        this.trouble = this.reader.told(error)
      }
      this.reader.listed()
      const leftMs = startedAtMs + EVERY_MS - performance.now()
      await sleep(Math.max(0, leftMs), undefined, { signal }).catch(() => undefined)
    }
  }

  /** What is known of it. */
  of(name: string): Found | undefined {
    return this.#found.get(name)
  }

  /** Those to be shown. */
  shown(sort: Sort, page: number): Part {
    const key = `${sort} ${page}`
    const part = this.#parts.get(key) ?? chosen(this.#views(), sort, page)
    this.#parts.set(key, part)
    return part
  }

  get total(): number {
    return this.#found.size
  }

  /** Whether there are no others. */
  get isAll(): boolean {
    return this.#round > 0 && this.#found.size < MOST_NAMES
  }

  get totals(): Totals {
    this.#totals ??= totalsOf(this.#views())
    return this.#totals
  }

  /** How the numbers have been since they are complete. */
  trend(totals: Totals): Trend {
    if (this.isAll) this.#trends.note(totals, performance.now())
    return this.#trends.trend
  }

  /** Somebody looked at it. */
  saw(name: string, views: readonly LockView[], atMs: number): void {
    const found = this.#found.get(name)
    const view = views.find(isLocked) ?? views[0]
    if (found && view) this.#set(name, { ...found, view, atMs })
  }

  /** Somebody looked at it: it is gone. */
  forget(name: string): void {
    this.#found.delete(name)
    this.#changed()
  }

  #set(name: string, found: Found): void {
    this.#found.set(name, found)
    this.#changed()
  }

  #changed(): void {
    this.#parts.clear()
    this.#totals = undefined
  }

  *#views(): Iterable<LockView> {
    for (const { view } of this.#found.values()) yield view
  }

  async #list(pace: Pace, signal: AbortSignal): Promise<void> {
    const listing = this.catalogue.held(this.pattern, pace)
    const round = this.#round + 1
    let found = 0
    for await (const view of listing) {
      if (signal.aborted) return
      const isNew = round > 1 && !this.#found.has(view.name)
      this.#set(view.name, { view, atMs: performance.now(), round, isNew })
      found += 1
      if (found === FIRST && round === 1) this.reader.listed()
      if (found === MOST_NAMES) break
    }
    for (const [name, last] of this.#found)
      if (last.round < round && !this.reader.keeps(name)) this.forget(name)
    this.unreadable = listing.unreadable
    this.#round = round
  }
}
