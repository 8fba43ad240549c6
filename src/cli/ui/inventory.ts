import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue, Pace } from '../catalogue.js'
import { isLocked, type LockView } from '../lock-view.js'
import type { Sight } from './changes.js'
import { chosen, type Part } from './chosen.js'
import type { Sort } from './picture.js'
import { type Totals, type Trend, Trends, totalsOf } from './totals.js'
import { freed, sortOf } from './watched.js'

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

/** What an inventory is kept for besides the list of now. */
export interface History {
  /** How far its curves go back. */
  readonly spanMs: number
  /** A listing found a lock otherwise than the one before. */
  differs(before: Sight, now: Sight): void
}

interface Seen {
  readonly view: LockView
  readonly atMs: number
}

/** A lock as a listing found it, or somebody who looked since. */
interface Found extends Seen {
  /** The listing that found it last. */
  readonly round: number
  /** The one before, which came to its end, had not found it. */
  readonly isNew: boolean
}

/** All held locks that match a pattern: it lists them again and again, as slowly as it has to. */
export class Inventory {
  readonly #found = new Map<string, Found>()
  readonly #trends: Trends
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
    private readonly history?: History,
  ) {
    this.#trends = new Trends(history?.spanMs)
  }

  /** Lists until the signal aborts. */
  async run(pace: Pace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = performance.now()
      try {
        await this.list(pace, signal)
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

  /** Lists once. */
  async list(pace: Pace, signal: AbortSignal): Promise<void> {
    const listing = this.catalogue.held(this.pattern, pace)
    const round = this.#round + 1
    const wasAll = this.isAll
    let found = 0
    for await (const view of listing) {
      if (signal.aborted) return
      const before = this.#found.get(view.name)
      const now = { view, atMs: performance.now(), round, isNew: round > 1 && !before }
      this.#set(view.name, now)
      if (wasAll) this.#compare(before, now)
      found += 1
      if (found === FIRST && round === 1) this.reader.listed()
      if (found === MOST_NAMES) break
    }
    for (const [name, last] of this.#found) {
      if (last.round === round || this.reader.keeps(name)) continue
      this.forget(name)
      if (wasAll) this.#compare(last, { view: freed(last.view), atMs: performance.now() })
    }
    this.unreadable = listing.unreadable
    this.#round = round
    this.trend(this.totals)
  }

  /** Counts are listed only while somebody waits for them: that they are not listed any more says nothing. */
  #compare(before: Seen | undefined, now: Seen): void {
    const was = before ?? { view: freed(now.view), atMs: now.atMs }
    if (now.view.count !== undefined || sortOf(was.view) !== sortOf(now.view)) return
    this.history?.differs({ lock: was.view, atMs: was.atMs }, { lock: now.view, atMs: now.atMs })
  }
}
