/** What the page knows, and what it is about. */
import type { Entry } from '../journal.js'
import type { Message, Sort } from '../picture.js'
import type { Row } from '../row.js'
import type { Clock } from './clock.js'
import type { Answer, Standing } from './connection.js'
import { plural } from './words.js'

const MOST_CHANGES = 200

/** A lock that somebody wants to free, or has freed, as it was shown. */
export interface Freeing extends Partial<Answer> {
  readonly row: Row
}

export interface State {
  readonly message: Message | null
  readonly standing: Standing
  readonly trouble: string | null
  /** The clock of the last message that had all there is to see. */
  readonly seen: Clock | null
  /** The last one first. */
  readonly changes: readonly Entry[]
  /** What a reader of a screen hears. */
  readonly news: string
  readonly filter: string
  readonly sort: Sort
  readonly page: number
  readonly freeing: Freeing | null
}

const query = new URLSearchParams(location.search)
const sorts: readonly Sort[] = ['waiting', 'age', 'name']

/** The lock that this page is about; the list is about all. */
export const lockName = location.pathname.endsWith('/lock') ? (query.get('name') ?? '') : undefined

export const start: State = {
  message: null,
  standing: 'connecting',
  trouble: null,
  seen: null,
  changes: [],
  news: '',
  filter: query.get('filter') ?? '',
  sort: sorts.find((each) => each === query.get('sort')) ?? 'waiting',
  page: Number(query.get('page') ?? 1) - 1,
  freeing: null,
}

/** The address of a list, without what goes without saying. */
export function addressOf({ filter, sort, page }: Pick<State, 'filter' | 'sort' | 'page'>): string {
  const wanted = new URLSearchParams()
  if (filter !== '') wanted.set('filter', filter)
  if (sort !== 'waiting') wanted.set('sort', sort)
  if (page > 0) wanted.set('page', `${page + 1}`)
  return wanted.size === 0 ? './' : `?${wanted}`
}

/** Whether what is shown may have changed since. */
export function isStale({ standing, trouble }: Pick<State, 'standing' | 'trouble'>): boolean {
  return trouble !== null || standing === 'away' || standing === 'refused'
}

/** The title of the browser's tab. Trouble comes first: a user who looks at another tab sees only the beginning. */
export function titleOf(state: State): string {
  const subject = lockName === undefined ? 'Locks' : lockName.slice(0, 120)
  const rings = state.message?.deadlocks.length ?? 0
  const wrong = isStale(state) ? 'Not live · ' : rings > 0 ? `${plural(rings, 'deadlock')} · ` : ''
  return `${wrong}${subject} · Holdfast`
}

/** With what the program has told. */
export function told(state: State, message: Message): State {
  const last = state.changes[0]?.number ?? 0
  const fresh = message.changes.filter(({ number }) => number > last)
  return {
    ...state,
    message,
    standing: 'live',
    trouble: message.trouble,
    seen: message.trouble === null ? { now: message.now, steadyMs: message.nowMs } : state.seen,
    changes: [...fresh.toReversed(), ...state.changes].slice(0, MOST_CHANGES),
    news: newsOf(state, message, fresh),
  }
}

/** A few changes, or how many there were; a deadlock first. */
function newsOf({ message: before, news }: State, { deadlocks }: Message, fresh: readonly Entry[]): string {
  if (deadlocks.length > (before?.deadlocks.length ?? 0))
    return `Deadlock. ${deadlocks
      .flat()
      .slice(0, 3)
      .map(({ text }) => text)
      .join(' ')}`
  if (fresh.length === 0) return news
  const spoken = fresh.slice(-3).map(({ name, text }) => `${name} ${text}.`)
  return fresh.length > 3 ? `${fresh.length} changes. The last: ${spoken.at(-1)}` : spoken.join(' ')
}
