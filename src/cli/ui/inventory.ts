import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue, Pace } from '../catalogue.js'
import type { LockView } from '../lock-view.js'
import { chosen } from './chosen.js'

/** From the beginning of one listing to that of the next. */
const EVERY_MS = 2_000
/** More names are not kept: nobody reads them, and they take memory. */
const MOST_NAMES = 20_000

/** Who hears of what an inventory finds. */
export interface Reader {
  /** Whether a name stays although a listing did not find it: until somebody has looked, and for a little longer. */
  keeps(name: string): boolean
  /** A listing came to its end, or to a failure. */
  listed(): void
  /** A failure, in words for people. */
  told(error: unknown): string
}

/** A lock as a listing found it. */
interface Found {
  readonly view: LockView
  readonly atMs: number
  /** The listing that found it last. */
  readonly round: number
  /** The one before, which came to its end, had not found it. */
  readonly isNew: boolean
}

/** The names of all held locks that match a pattern: it lists them again and again, as slowly as it has to. */
export class Inventory {
  readonly #found = new Map<string, Found>()
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

  /** What the last listing found of it. */
  of(name: string): Found | undefined {
    return this.#found.get(name)
  }

  /** Those to be shown. */
  get shown(): readonly string[] {
    return chosen(this.#found.keys())
  }

  get total(): number {
    return this.#found.size
  }

  /** Whether there are no others. */
  get isAll(): boolean {
    return this.#round > 0 && this.#found.size < MOST_NAMES
  }

  /** Somebody looked at it: it is gone. */
  forget(name: string): void {
    this.#found.delete(name)
  }

  async #list(pace: Pace, signal: AbortSignal): Promise<void> {
    const listing = this.catalogue.held(this.pattern, pace)
    const round = this.#round + 1
    let found = 0
    for await (const view of listing) {
      if (signal.aborted) return
      const isNew = round > 1 && !this.#found.has(view.name)
      this.#found.set(view.name, { view, atMs: performance.now(), round, isNew })
      found += 1
      if (found === MOST_NAMES) break
    }
    for (const [name, last] of this.#found)
      if (last.round < round && !this.reader.keeps(name)) this.#found.delete(name)
    this.unreadable = listing.unreadable
    this.#round = round
  }
}
