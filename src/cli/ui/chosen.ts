import type { LockView } from '../lock-view.js'
import type { Sort } from './picture.js'
import { oldestHold, oldestWait, waitingOf } from './row.js'

/** A page shows no more locks than this at a time; each of them is looked at again and again. */
export const MOST_ROWS = 50

/** A part of the locks, and the place of its first. */
export interface Part {
  readonly names: readonly string[]
  readonly from: number
}

/** The names that a page shows, in an order that changes only with what it is about: names decide between what is equal. */
export function chosen(views: Iterable<LockView>, sort: Sort, page: number): Part {
  const sorted = [...views].map((view) => rankOf(view, sort)).sort(before)
  const last = Math.max(0, Math.ceil(sorted.length / MOST_ROWS) - 1)
  const from = Math.min(page, last) * MOST_ROWS
  return { names: sorted.slice(from, from + MOST_ROWS).map(({ name }) => name), from }
}

interface Rank {
  readonly name: string
  /** The lesser, the earlier. */
  readonly first: number
  readonly second: number
}

function rankOf(view: LockView, sort: Sort): Rank {
  const { name } = view
  if (sort === 'name') return { name, first: 0, second: 0 }
  if (sort === 'age') return { name, first: oldestHold(view) ?? Infinity, second: 0 }
  return { name, first: -(waitingOf(view) ?? 0), second: oldestWait(view) ?? Infinity }
}

function before(one: Rank, other: Rank): number {
  if (one.first !== other.first) return one.first < other.first ? -1 : 1
  if (one.second !== other.second) return one.second < other.second ? -1 : 1
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0
}

/** A text that people type is a part of a name, unless it is a pattern. */
export function patternOf(filter: string): string {
  if (filter === '') return '*'
  return /[*?[\\]/.test(filter) ? filter : `*${filter}*`
}
