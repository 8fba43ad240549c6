import { brief } from './brief.js'
import type { What } from './changes.js'
import { hrefOf, LONGEST_LINKED } from './row.js'

/** A change as the page shows it. */
export interface Entry {
  /** Grows by one with each entry. */
  readonly number: number
  /** ISO 8601. */
  readonly at: string
  readonly name: string
  readonly href: string | null
  readonly what: What
  readonly text: string
}

/** So many entries are kept while pages are open, and of a history; of about a kilobyte each. */
const MOST = 500
const MOST_HISTORY = 10_000
/** A page shows no more of them, and no more of one name are kept: a busy lock leaves room for the others. */
const MOST_TOLD = 200
/** Entries beyond what is kept until they are dropped, all together. */
const SLACK = 1.25

/** The last changes that were seen. */
export class Journal {
  #entries: Entry[] = []
  /** So that a page that was open before the program started again misses none. */
  #last = Date.now()
  readonly #most: number

  constructor(private readonly historyMs = 0) {
    this.#most = historyMs > 0 ? MOST_HISTORY : MOST
  }

  add(name: string, what: What, text: string): void {
    this.#last += 1
    const kept = name.slice(0, LONGEST_LINKED)
    const at = new Date().toISOString()
    this.#entries.push({ number: this.#last, at, name: kept, href: hrefOf(name), what, text })
    if (this.#entries.length > this.#most * SLACK) this.#entries = [...this.#latest()].reverse()
  }

  /** Those after that number, of the names that matter: the last ones. */
  after(number: number, matters: (name: string) => boolean): readonly Entry[] {
    const found: Entry[] = []
    for (const entry of this.#latest()) {
      if (entry.number <= number || found.length === MOST_TOLD) break
      if (matters(entry.name)) found.push({ ...entry, name: brief(entry.name) })
    }
    return found.reverse()
  }

  /** From the last one on, as far back as they are kept. */
  *#latest(): Iterable<Entry> {
    const oldest = this.historyMs > 0 ? new Date(Date.now() - this.historyMs).toISOString() : ''
    const counts = new Map<string, number>()
    let kept = 0
    for (let at = this.#entries.length - 1; at >= 0 && kept < this.#most; at -= 1) {
      const entry = this.#entries[at]
      if (!entry || entry.at < oldest) return
      const count = (counts.get(entry.name) ?? 0) + 1
      counts.set(entry.name, count)
      if (count > MOST_TOLD) continue
      kept += 1
      yield entry
    }
  }
}
