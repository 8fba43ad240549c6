import { brief } from './brief.js'
import type { What } from './changes.js'
import { hrefOf } from './row.js'

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

/** The last changes that were seen. */
export class Journal {
  #entries: readonly Entry[] = []
  /** So that a page that was open before the program started again misses none. */
  #last = Date.now()

  constructor(private readonly most: number) {}

  add(name: string, what: What, text: string): void {
    this.#last += 1
    const entry = { number: this.#last, at: new Date().toISOString(), name, href: hrefOf(name), what, text }
    this.#entries = [...this.#entries, entry].slice(-this.most)
  }

  /** Those after that number, of the names that matter. */
  after(number: number, matters: (name: string) => boolean): readonly Entry[] {
    const wanted = this.#entries.filter((each) => each.number > number && matters(each.name))
    return wanted.map((entry) => ({ ...entry, name: brief(entry.name) }))
  }
}
